const timeout = () => Number(process.env.TIMEOUT || 30);
module.exports = { timeout };
