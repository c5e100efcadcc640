export const limit = 10;
export const x = 1;
