import { codeOf, type Examples, equal, type Given } from './site.ts'

/** Bob buys a team with two seats, one of them his own. */
const buyTeam = async ({ m, bob, pay }: Given): Promise<string> => {
  const { url } = await m.checkout.start({ user: bob, price: 'price_team', quantity: 2 })
  await pay(url)
  return (await m.users.findById(bob.id))?.subscriptions()[0]?.id ?? ''
}

/** Cleo takes the seat that she was invited to. */
const join = async (given: Given, subscriptionId: string) => {
  const { m, app, open, mails } = given
  const cleo = await m.users.create({ email: 'cleo@example.com', verified: true })
  await m.teams.invite({ subscriptionId, email: 'cleo@example.com' })
  await m.runDueJobs()
  app.use(m.koaView())
  app.use(async (ctx, next) => (ctx.path === '/in' ? m.sessions.open(ctx, cleo.id, true) : next()))
  app.use(m.koa())
  await open('/in')
  const path = new URL(/https:\S*\/join\/\S+/.exec(mails.map(({ text }) => text).join('\n'))?.[0] ?? '')
    .pathname
  const token = /name="token" value="([^"]+)"/.exec((await open(path)).text)?.[1] ?? ''
  await open(path, { token })
  return cleo
}

/** Examples of `m.teams`. */
export const teams: Examples = {
  async invite(given) {
    const { m } = given
    const subscriptionId = await buyTeam(given)
    const seat = await m.teams.invite({ subscriptionId, email: 'cleo@example.com' })
    equal(seat.status, 'invited')
    const another = () => m.teams.invite({ subscriptionId, email: 'dan@example.com' })
    equal(await codeOf(another), 'ERR_ACTION_REFUSED') // both seats are taken
  },

  async remove(given) {
    const { m } = given
    const subscriptionId = await buyTeam(given)
    const seat = await m.teams.invite({ subscriptionId, email: 'cleo@example.com' })
    await m.teams.remove({ subscriptionId, seatId: seat.id })
    equal((await m.teams.find(subscriptionId)).free, 1)
  },

  async leave(given) {
    const { m } = given
    const subscriptionId = await buyTeam(given)
    const cleo = await join(given, subscriptionId)
    equal((await m.users.findById(cleo.id))?.explain('team').reason, 'seat')
    await m.teams.leave({ subscriptionId, user: cleo })
    equal((await m.users.findById(cleo.id))?.hasGate('team'), false)
  },

  async transfer(given) {
    const { m } = given
    const subscriptionId = await buyTeam(given)
    const cleo = await join(given, subscriptionId)
    await m.teams.transfer({ subscriptionId, to: cleo.id })
    const { managed } = await m.teams.of((await m.users.findById(cleo.id))!)
    equal(managed.length, 1)
  },

  async get(given) {
    const { m } = given
    const group = await m.teams.get(await buyTeam(given))
    equal(group.seats, 2)
  },

  async find(given) {
    const { m, bob } = given
    const subscriptionId = await buyTeam(given)
    const group = await m.teams.find(subscriptionId)
    equal([group.owner_id, group.seats, group.free], [bob.id, 2, 1])
  },

  async of(given) {
    const { m, bob } = given
    await buyTeam(given)
    const buyer = await m.users.findById(bob.id)
    const { managed, seats } = await m.teams.of(buyer ?? bob)
    equal([managed.length, managed[0]?.plan, seats.length], [1, 'team', 0])
  },
}
