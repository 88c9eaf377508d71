// A site that dies in the midst of opening a link: node --import tsx killed-host.ts DATABASE_URL login|email
import { openStripeSite } from './stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from './visitor.ts'

const [, , url = '', flow] = process.argv
const email = 'ann@example.com'
const mailbox = createMailbox()
const opened = await openStripeSite(
  { teardown: () => {} },
  { 'membership.database.url': url, ...mailbox.options },
)
const { m, site } = opened
await buy(opened, email, { proved: false })
const visitor = flow === 'login' ? createVisitor(site) : await logIn(opened, mailbox, email)
if (flow === 'login') await visitor.send('/membership/login', { email })
else await visitor.send('/membership/account', { email: 'new@example.com' })
await m.runDueJobs()
const link = mailbox.link(flow === 'login' ? email : 'new@example.com')
if (link === '') throw new Error('no link')

// Killed as soon as the first thing about the link or its member is written, before anything else can be.
const { commit } = m.storage
Object.assign(m.storage, {
  commit: async (...unit: Parameters<typeof commit>) => {
    await commit(...unit)
    if (unit[0].some(({ statement }) => /link|email|member/.test(statement.name)))
      process.kill(process.pid, 'SIGKILL')
  },
})
await visitor.send(link)
throw new Error('it was not killed')
