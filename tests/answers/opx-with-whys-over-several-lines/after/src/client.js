const { timeout } = require('./config');

module.exports = {
  wait: timeout(),
};
