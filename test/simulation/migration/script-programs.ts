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

/** The same of purchases, maps from the provider. */
const purchaseSources: readonly (readonly [string, string])[] = [
  ['', 'membership().provider().purchases()'],
  ['const all = membership().provider().purchases()', 'all'],
  ['const mine = () => membership().provider().purchases()', 'mine()'],
  ['const { purchases } = membership().provider()', 'purchases()'],
  ['const f = membership().provider().purchases', 'f()'],
  ["const name = 'purchases'", 'membership().provider()[name]()'],
  ['const all = []\nfor (const x of membership().provider().purchases()) all.push(x)', 'all'],
  ['const both = user.subscriptions().concat(membership().provider().purchases())', 'both'],
  [
    'class Cart { constructor() { this.all = membership().provider().purchases() } }\nconst cart = new Cart()',
    'cart.all',
  ],
]

/** The ids of prices that were bought, in the provider's data. */
const priceSources: readonly (readonly [string, string])[] = [
  ['', 'membership().provider().getUserData().purchases'],
  ['', '(user.content("stripe").purchases ?? [])'],
  ['const data = membership().provider().getUserData()', 'data.purchases'],
  ['function data() { return membership().provider().getUserData() }', 'data().purchases'],
  ['const { purchases } = membership().provider().getUserData()', 'purchases'],
  ['const { purchases: all = [] } = user.content("stripe")', 'all'],
  ["const key = 'purchases'\nconst data = user.content('stripe')", 'data[key]'],
  ['const { ...rest } = user.content("stripe")', 'rest.purchases'],
  ['const data = { ...user.content("stripe") }', 'data.purchases'],
  ['const box = { data: user.content("stripe") }', 'box.data.purchases'],
  ['const none = null\nconst data = none ?? user.content("stripe")', 'data.purchases'],
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
  'function one() { const s = arguments[0]; BODY }\nfor (const x of L) one(x)',
  'L.forEach(true ? (s) => { BODY } : null)',
  'L.forEach((0, (s) => { BODY }))',
  'const show = (s) => { BODY }; L.forEach(globalThis.none ?? show)',
  'const show = (s) => { BODY }; const same = show; L.forEach(same)',
  'const make = () => (s) => { BODY }; L.forEach(make())',
  'const by = { show: (s) => { BODY } }; L.forEach(by.show)',
  'class C { static show(s) { BODY } }\nL.forEach(C.show)',
  'const forEach = 1; L.forEach((s) => { BODY })',
  'function one(p, s) { BODY }\nL.forEach(one.bind(null, 1))',
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

/** What is read of a purchase that is a map. */
const purchaseAccesses: readonly string[] = [
  's.product',
  '(s ? "y" : "n")',
  's.price',
  '(s == null ? "y" : "n")',
  's.status',
  's.id',
  's.currency',
  's.metadata?.seat',
  's["amount"]',
  '((x) => x)(s).created',
  '(({ product }) => product)(s)',
  'Object.keys(s).length',
  '("product" in s)',
  'JSON.stringify(s)',
  '[s].length',
]

/** What is done with the id of a price. */
const priceAccesses: readonly string[] = [
  's',
  '(s ? "y" : "n")',
  '(s === "price_1" ? "y" : "n")',
  '["price_1"].includes(s)',
  '(s == null ? "y" : "n")',
  's.includes("price")',
  's.slice(0, 2)',
  's.length',
  's[0]',
  'typeof s',
  '({ price_1: "One" })[s]',
  'Object.keys({ [s]: 1 })[0]',
  '[...s].length',
  'new Set([s, "price_1"]).size',
  '[s].length',
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
  'const by = (a, b) => b.plan.id.localeCompare(a.plan.id); print([...L].sort(true ? by : undefined).length)',
  'print(L.map(JSON.stringify).join())',
  'print(Object.groupBy ? 1 : 2, L.length > 2 && L[0].status)',
]

/** What is done with purchases as a whole. */
const eitherWholes: readonly string[] = [
  'print(L.length)',
  'print(L.length > 0 ? "some" : "none")',
  'print([...L].length, Array.isArray(L))',
  'print(L.some((s) => s))',
  'const [a, b] = L; print(a ? 1 : 2)',
  'for (const [i, s] of L.entries()) print(i)',
  'for (const i in L) print(i)',
  'const count = (all) => { let n = 0; for (const s of all) n++; return n }; print(count(L))',
  'print(Object.keys(L).length, Object.values(L).length)',
]
const purchaseWholes: readonly string[] = [...eitherWholes, 'print(L.find((s) => s.product === "prod_1"))']
const priceWholes: readonly string[] = [
  ...eitherWholes,
  'print(Object.fromEntries(L.map((s) => [s, true])).price_1)',
  'print(L.includes("price_1"))',
  'print(L.indexOf("price_1"))',
  'print(L.some((s) => s === "price_1"))',
  'print(L.join())',
  'print(L.map(String).join())',
  'print(new Set(L).has("price_1"))',
  'print([...new Set(L)].length)',
  'print("price_1" in L)',
  'print([...L].sort()[0] ? 1 : 2)',
  'const has = {}; for (const s of L) has[s] = true; print(has.price_1)',
  'for (const [a] of L) print(a)',
  'const [[a]] = L; print(a)',
  'L.forEach(([a]) => print(a))',
  'const count = (one) => { let n = 0; for (const c of one) n++; return n }; print(L.map(count)[0])',
  'switch (L[0]) { case "price_0": print(1); break; default: print(2) }',
  'print(`$' + '{L}`)',
]

/** A random program over the idioms: a module that prints. */
export function scriptProgram(chance: Chance): string {
  const [own, ownAccesses, ownWholes] = chance.one(0.6)
    ? ([sources, accesses, wholes] as const)
    : chance.one(0.5)
      ? ([purchaseSources, purchaseAccesses, purchaseWholes] as const)
      : ([priceSources, priceAccesses, priceWholes] as const)
  const [begin, list] = pick(chance, own)
  const access = () => pick(chance, ownAccesses)
  const body = () => pick(chance, sinks).replaceAll('V', access)
  const main = chance.one(0.15)
    ? pick(chance, ownWholes)
    : pick(chance, containers).replace('BODY', () => body())
  return `${begin}\n${main.replaceAll(/\bL\b/g, () => list)}\n`
}

// Half of them are of the plain kind that stands first, so that whole programs of it are drawn, too.
function pick<T>(chance: Chance, all: readonly T[]): T {
  return chance.of(chance.one(0.5) ? all.slice(0, 5) : all)
}
