// A process that crawls what is due and ends: node --import tsx crawl-process.ts DATABASE_URL PORT_OF_THE_WEB
import { createMembership } from '../../src/index.ts'
import { addressOf } from './web.ts'

const [url, port] = process.argv.slice(2)
const m = await createMembership({
  'membership.database.url': url,
  'membership.reports.system': 'kirby',
  'membership.reports.contact': 'index@operator.example',
  'membership.reports.crawl': { enabled: false, pause_seconds: 0, concurrency: 4 },
  root: false,
  log: () => {},
  reports: {
    resolve: async (host) => [{ address: addressOf(host, 16), port: Number(port) }],
    policy: { allowsHost: () => true, allowsAddress: (address) => address.startsWith('127.') },
  },
})
await m.reports.crawl.run()
await m.close()
process.exit(0)
