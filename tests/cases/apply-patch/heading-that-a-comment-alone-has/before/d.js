const o = {
  // a: { is gone }
  c: {
    x: 1,
    y: 2,
  },
  "b": {
    x: 1,
    y: 2,
  },
};
