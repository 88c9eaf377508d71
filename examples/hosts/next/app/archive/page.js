import { host } from '../../lib/membership.js'

export default async function Archive() {
  await host.gate('pro', '/')
  return <p>The archive.</p>
}
