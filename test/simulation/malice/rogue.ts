import { cardOf, createPerson, type Person } from '../person.ts'
import { act, given, isLiving, login, note, ownedBy, type World } from '../world.ts'

/** One human being, who comes under as many names as help. */
export interface Rogue {
  readonly number: number
  /** The newest is the one at work. */
  readonly selves: Person[]
}

export function selfOf({ selves }: Rogue): Person {
  return selves.at(-1)!
}

/** Another address and another machine; the card stays the same. */
export function anotherSelf(world: World, rogue: Rogue): Person {
  const name = `rogue${rogue.number}.${rogue.selves.length + 1}`
  const self = createPerson(name, `${name}@example.com`, world.site.site)
  rogue.selves.push(self)
  world.people.push(self)
  return self
}

export function livingOf(world: World, self: Person) {
  return ownedBy(world, self).subscriptions().filter(isLiving)
}

/** Logs in where that may help; a stranger has nothing to log in to. */
export async function comeIn(world: World, self: Person): Promise<void> {
  const known = ownedBy(world, self).customers.size > 0
  if (known && !self.inside.has(self.browsers[0]!)) await login(world, self)
}

/** Asks for a payment page, with whatever fields. Null where none was given. */
export async function beginAt(
  world: World,
  self: Person,
  path: string,
  fields: Record<string, string>,
): Promise<string | null> {
  const { body } = await act(world, self, { name: 'begin', path, fields })
  return given(world, self, { url: body.url }) === null ? null : String(body.url)
}

export async function payAt(
  world: World,
  self: Person,
  { page, back = true }: { page: string; back?: boolean },
): Promise<void> {
  const answer = await fetch(page, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: self.email, name: self.name, card: cardOf(self) }),
  })
  await answer.arrayBuffer()
  note(world, self, `pays ${page.split('/').at(-1)} → ${answer.status}`)
  world.figures.count('actions', `pay ${answer.status}`)
  const url = answer.headers.get('location')
  if (!back || url === null) return
  const [browser] = self.browsers
  await (await browser!.request(new URL(url).pathname, { headers: { accept: 'application/json' } })).text()
  if (browser!.cookies.has('membership_session')) self.inside.set(browser!, world.site.fake.now().getTime())
}
