// One of several processes that invite to the seats of the same groups and take them by link: node --import tsx
// seats-process.ts DATABASE_URL GROUPS FROM TO. It prints +KEY SEAT for who was invited, -KEY for who was refused, ~SEAT
// before it removes a seat, ^SEAT EMAIL for who joined by a link, and !SEAT for a link that was refused.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTokens } from '../../src/core/http/tokens.ts'
import { createMembership, isMembershipError } from '../../src/index.ts'
import { createSay } from './say.ts'
import { seatSite, secret } from './seats-race.ts'
import { createVisitor } from './visitor.ts'

const [, , url = '', groups = '', from = '', to = ''] = process.argv
const m = await createMembership({
  ...seatSite,
  'membership.database.url': url,
  // The login of a host that knows the person by a cookie.
  identify: ({ headers }) => {
    const [, email] = /(?:^|; )person=([^;]+)/.exec(headers.get('cookie') ?? '') ?? []
    return email === undefined ? null : { email }
  },
})
const server = createServer(m.listener()).listen(0, '127.0.0.1')
await once(server, 'listening')
const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const tokens = createTokens([secret], () => new Date())
const ids = groups.split(',')
const keys = Array.from({ length: Number(to) - Number(from) }, (_, i) => Number(from) + i)
const dead: string[] = []
const say = createSay()

/** Opens the link of an invitation, and takes the seat with its button. */
async function joins(seat: string, email: string): Promise<void> {
  const token = await tokens.sign('group-join', { seat }, 86_400)
  const visitor = createVisitor(site)
  visitor.cookies.set('person', email)
  for (;;) {
    const { status, code, text } = await visitor.send(`/membership/join/${token}`)
    if (status === 200) return say(`^${seat} ${email}`)
    if (code === 'ERR_LINK') return say(`!${seat}`)
    if (status !== 503) throw new Error(`${status} ${text}`)
  }
}

async function remove(subscriptionId: string, seatId: string): Promise<void> {
  say(`~${seatId}`)
  await m.teams.remove({ subscriptionId, seatId })
  dead.push(seatId)
}

async function work(): Promise<void> {
  for (let key = keys.shift(); key !== undefined; key = keys.shift()) {
    const subscriptionId = ids[key % ids.length]!
    try {
      const { id } = await m.teams.invite({ subscriptionId, email: `person${key}@example.com` })
      say(`+${key} ${id}`)
      // Two of three seats become free again, so that the next invitations race for them.
      if (key % 3 === 2) await remove(subscriptionId, id)
      else
        await Promise.all([
          // The link was passed on: one of two takes the seat.
          ...[`person${key}@example.com`, `friend${key}@example.com`].map((email) => joins(id, email)),
          ...(key % 3 === 1 ? [remove(subscriptionId, id)] : []),
          ...dead.splice(0, 1).map((seat) => joins(seat, `late${key}@example.com`)),
        ])
    } catch (error) {
      if (isMembershipError(error, 'ERR_ACTION_REFUSED') && error.extensions.reason === 'no_seat')
        say(`-${key}`)
      else if (isMembershipError(error, 'ERR_BUSY') || isMembershipError(error, 'ERR_STORAGE')) keys.push(key)
      else throw error
    }
  }
}
await Promise.all(Array.from({ length: 4 }, work))
server.closeAllConnections()
server.close()
await m.close()
