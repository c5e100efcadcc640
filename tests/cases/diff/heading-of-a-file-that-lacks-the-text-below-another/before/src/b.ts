export const limit = 12;
