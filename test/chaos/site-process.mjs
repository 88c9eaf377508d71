// One of the site's equal processes, of the built package: node site-process.mjs OPTIONS_AS_JSON PORT MAILBOX_URL
import { createServer } from 'node:http'
import { createMembership, drain } from '../../dist/index.js'

const [options, port, mailbox] = process.argv.slice(2)
const m = await createMembership({
  ...JSON.parse(options),
  root: false,
  log: (message, details) => console.error(message, JSON.stringify(details ?? {})),
  mails: {
    transport: async (mail, { signal } = {}) => {
      const answer = await fetch(mailbox, { method: 'POST', body: JSON.stringify(mail), signal })
      if (!answer.ok) throw new Error(`the mailbox answered ${answer.status}`)
    },
  },
})
const server = createServer(m.listener())
server.listen(Number(port), '127.0.0.1', () => console.log(server.address().port))
process.once('SIGTERM', async () => {
  await drain(server)
  await m.close()
  process.exit(0)
})
