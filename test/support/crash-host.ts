// A small site for the crash test: node --import tsx crash-host.ts DATABASE_URL
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMembership } from '../../src/index.ts'

const m = await createMembership({
  'membership.database.url': process.argv[2],
  'membership.providers.stripe.webhook': 'whsec_crash',
  root: false,
  log: () => {},
})
const server = createServer(m.listener()).listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port)
})
