module.exports = {
  show: (ctx) => {
    ctx.body = 'The archive.'
  },
}
