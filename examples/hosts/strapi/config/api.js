module.exports = { rest: { prefix: '' } }
