const secret = process.env.ADMIN_SECRET ?? 'only-for-development'

module.exports = {
  serveAdminPanel: process.env.ADMIN_PANEL === 'yes',
  auth: { secret },
  apiToken: { salt: secret },
  transfer: { token: { salt: secret } },
  secrets: { encryptionKey: secret },
}
