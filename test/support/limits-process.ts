// One of several processes that take from one limit: node --import tsx limits-process.ts DATABASE_URL MEMBERS FROM TO AMOUNT
// It prints +KEY for what was taken and -KEY for what was refused, each once it is known.
import { createMembership, isMembershipError } from '../../src/index.ts'
import { limitSite } from './limits-race.ts'
import { createSay } from './say.ts'

const [, , url = '', members = '', from = '', to = '', amount = ''] = process.argv
const m = await createMembership({ ...limitSite(Number(amount)), 'membership.database.url': url })
const users = await Promise.all(members.split(',').map(async (id) => (await m.users.findById(id))!))
const keys = Array.from({ length: Number(to) - Number(from) }, (_, i) => Number(from) + i)

const say = createSay()

async function work(): Promise<void> {
  for (let key = keys.shift(); key !== undefined; key = keys.shift()) {
    const user = users[key % users.length]!
    try {
      await m.limits.use(user, 'exports', 1, { key: String(key) })
      say(`+${key}`)
    } catch (error) {
      if (isMembershipError(error, 'ERR_BUSY') || isMembershipError(error, 'ERR_STORAGE')) keys.push(key)
      else if (isMembershipError(error, 'ERR_LIMIT')) say(`-${key}`)
      else throw error
    }
  }
}
await Promise.all(Array.from({ length: 16 }, work))
await m.close()
