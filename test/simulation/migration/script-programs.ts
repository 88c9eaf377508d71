import type { Chance } from '../chance.ts'

/** Where the list comes from: declarations, and the expression that gives it. */
const sources: readonly (readonly [string, string])[] = [
  ['', 'user.subscriptions()'],
  ['', '(user?.subscriptions() ?? [])'],
  ['const mine = (u) => u.subscriptions()', 'mine(user)'],
  ['function mine(u) { const all = u.subscriptions(); return all }', 'mine(user)'],
  ['class Repo { static mine(u) { return u.subscriptions() } }', 'Repo.mine(user)'],
  ['class Repo { mine(u) { return u.subscriptions() } }\nconst repo = new Repo()', 'repo.mine(user)'],
  ['class Repo { get all() { return user.subscriptions() } }\nconst repo = new Repo()', 'repo.all'],
  ['class Repo { all = user.subscriptions() }\nconst repo = new Repo()', 'repo.all'],
  ['function* each(u) { yield* u.subscriptions() }', '[...each(user)]'],
  ['const f = user.subscriptions.bind(user)', 'f()'],
  ["const name = 'subscriptions'", 'user[name]()'],
  ['const all = user.subscriptions()', 'all'],
  ['const all = []\nall.push(...user.subscriptions())', 'all'],
  ['const all = []\nfor (const x of user.subscriptions()) all.push(x)', 'all'],
  ['const data = { subs: user.subscriptions() }', 'data.subs'],
  ['const { subs } = { subs: user.subscriptions() }', 'subs'],
  ['const fill = (out) => { out.subs = user.subscriptions() }\nconst box = {}\nfill(box)', 'box.subs'],
  ['globalThis.fnAll = user.subscriptions()', 'globalThis.fnAll'],
  ['const take = (all = user.subscriptions()) => all', 'take()'],
]

/** What the list goes through before one of it is `s`; L is the list, BODY what is done with `s`. */
const containers: readonly string[] = [
  'for (const s of L) { BODY }',
  'L.forEach((s) => { BODY })',
  'L.map((s) => { BODY })',
  'for (const s of [...L].reverse()) { BODY }',
  'for (const s of L.filter((x) => x)) { BODY }',
  'for (const [i, s] of L.entries()) { BODY }',
  'const s = L[0]; BODY',
  'const s = L.at(-1); BODY',
  'const [s] = L; BODY',
  'const [, ...rest] = L; const s = rest[0]; BODY',
  'const s = L.find((x) => x.id); BODY',
  'const s = { ...L[0] }; BODY',
  'const s = structuredClone(L[0]); BODY',
  'const s = JSON.parse(JSON.stringify(L))[0]; BODY',
  'const s = Object.assign({}, L[0]); BODY',
  'const s = L.reduce((best, x) => best ?? x, null); BODY',
  'const by = Object.fromEntries(L.map((x) => [x.id, x])); const s = by.sub_1; BODY',
  'const by = {}; for (const x of L) by[x.id] = x; const s = by["sub_1"]; BODY',
  'const map = new Map(L.map((x) => [x.id, x])); const s = map.get("sub_1"); BODY',
  'const show = (s) => { BODY }; for (const x of L) show(x)',
  'function show(s) { BODY }\nL.forEach(show)',
  'class View { constructor(raw) { this.raw = raw } show() { const s = this.raw; BODY } }\nnew View(L[0]).show()',
  'const o = {}; o.s = L[0]; const { s } = o; BODY',
  'const s = [L][0][1]; BODY',
  'const rows = L.map((sub) => ({ sub })); for (const { sub: s } of rows) { BODY }',
  'for (const i in L) { const s = L[i]; BODY }',
  'let s = null; for (const x of L) s ??= x; if (s) { BODY }',
  'const s = L.slice(0, 1).concat([])[0]; BODY',
  'const s = Object.values(L)[0]; BODY',
  'const s = [L[0]].flat()[0]; BODY',
]

const accesses: readonly string[] = [
  's.status',
  's["id"]',
  's.items.data[0].price.id',
  's.items.data[0]?.plan?.id',
  's.items.data.at(0).quantity',
  's.items.data[0].price.unit_amount',
  's.customer',
  's.currency',
  's.current_period_end',
  's.trial_end',
  's.created',
  's.metadata.seats',
  's.plan.id',
  '(s.nope ?? "none")',
  '(s.trial_end ? "y" : "n")',
  's.items.data.length',
  's.items.data.map((i) => i.quantity).join()',
  's[["status", "customer"][1]]',
  '("customer" in s)',
  'Object.keys(s).length',
  '({ ...s }).customer',
  '((x) => x.customer)(s)',
  '(({ customer }) => customer)(s)',
  '(({ status }) => status)(s)',
  's.hasOwnProperty("customer")',
  '(s === s ? "y" : "n")',
  '(s ? "y" : "n")',
  'typeof s',
  'JSON.stringify(s)',
  'new Date(s.current_period_end * 1000).getFullYear()',
]

const sinks: readonly string[] = [
  'print(V);',
  'print(`<$' + '{V}>`);',
  'const v = V; print(v);',
  'print(JSON.stringify(V));',
  'print(String(V).toUpperCase());',
  'print(["active", "price_1", "y"].includes(V));',
  'print(V === "eur" ? 1 : 2);',
  'if (V) print("yes");',
  'print([V].join("|"));',
]

const wholes: readonly string[] = [
  'print(L.length)',
  'print(JSON.stringify(L))',
  'print(L.map((s) => s.status).join())',
  'print(L.map(({ customer }) => customer).join())',
  'print(L.some((s) => s.items.data[0].price.id === "price_1"))',
  'print(L.flatMap((s) => s.items.data).length)',
  'print(String(L))',
  'print([...L].sort((a, b) => (a.status < b.status ? -1 : 1))[0].id)',
  'print(L.map(Object.keys).length)',
  'print(L.map(JSON.stringify).join())',
  'print(Object.groupBy ? 1 : 2, L.length > 2 && L[0].status)',
]

/** A random program over the idioms: a module that prints. */
export function scriptProgram(chance: Chance): string {
  const [begin, list] = pick(chance, sources)
  const body = () => pick(chance, sinks).replaceAll('V', () => pick(chance, accesses))
  const main = chance.one(0.15) ? chance.of(wholes) : pick(chance, containers).replace('BODY', () => body())
  return `${begin}\n${main.replaceAll(/\bL\b/g, () => list)}\n`
}

// Half of them are of the plain kind that stands first, so that whole programs of it are drawn, too.
const pick = <T>(chance: Chance, all: readonly T[]): T => chance.of(chance.one(0.5) ? all.slice(0, 5) : all)
