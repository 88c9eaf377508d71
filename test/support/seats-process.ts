// One of several processes that invite to the seats of the same groups: node --import tsx seats-process.ts DATABASE_URL GROUPS FROM TO
// It prints +KEY SEAT for who was invited, -KEY for who was refused, and ~SEAT before it removes a seat.
import { createMembership, isMembershipError } from '../../src/index.ts'
import { createSay } from './say.ts'
import { seatSite } from './seats-race.ts'

const [, , url = '', groups = '', from = '', to = ''] = process.argv
const m = await createMembership({ ...seatSite, 'membership.database.url': url })
const ids = groups.split(',')
const keys = Array.from({ length: Number(to) - Number(from) }, (_, i) => Number(from) + i)
const say = createSay()

const work = async (): Promise<void> => {
  for (let key = keys.shift(); key !== undefined; key = keys.shift()) {
    const subscriptionId = ids[key % ids.length]!
    try {
      const { id } = await m.groups.invite({ subscriptionId, email: `person${key}@example.com` })
      say(`+${key} ${id}`)
      // Two of three seats become free again, so that the next invitations race for them.
      if (key % 3 === 0) continue
      say(`~${id}`)
      await m.groups.remove({ subscriptionId, seatId: id })
    } catch (error) {
      if (isMembershipError(error, 'ERR_ACTION_REFUSED') && error.extensions.reason === 'no_seat')
        say(`-${key}`)
      else if (isMembershipError(error, 'ERR_BUSY') || isMembershipError(error, 'ERR_STORAGE')) keys.push(key)
      else throw error
    }
  }
}
await Promise.all(Array.from({ length: 4 }, work))
await m.close()
