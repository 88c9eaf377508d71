const secret = 'a text of the walk; yours is random'

module.exports = {
  serveAdminPanel: false,
  auth: { secret },
  apiToken: { salt: secret },
  transfer: { token: { salt: secret } },
}
