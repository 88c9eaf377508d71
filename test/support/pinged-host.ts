// A site that is killed: node --import tsx pinged-host.ts DATABASE_URL API_URL

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMembership } from '../../src/index.ts'
import { pinged } from './asked-providers.ts'
import { own } from './own-providers.ts'

const m = await createMembership({
  'membership.database.url': process.argv[2],
  ...own({ 'membership.providers.pinged': { api: process.argv[3] } }),
  customProviders: [pinged],
  root: false,
  log: () => {},
})
const server = createServer(m.listener()).listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port)
})
