import test from 'ava'
import { createReading, type Reader } from '../../src/entries/strapi-reading.ts'

const article = {
  options: { draftAndPublish: true },
  pluginOptions: { membership: {} },
  attributes: {
    title: { type: 'string' },
    body: { type: 'text' },
    gate: { type: 'enumeration', enum: ['pro', 'export'] },
  },
}
const recipe = {
  pluginOptions: { membership: { requires: 'pro', closes: ['body'] } },
  attributes: { body: { type: 'text' }, gate: { type: 'enumeration', enum: ['pro'] } },
}
const note = {
  attributes: {
    title: { type: 'string' },
    tip: { type: 'text', pluginOptions: { membership: { requires: ['pro'] } } },
    about: { type: 'relation', target: 'article' },
    recipe: { type: 'relation', target: 'recipe' },
    parts: { type: 'dynamiczone', components: ['part'] },
    related: { type: 'relation' },
  },
}
const part = { attributes: { hint: { type: 'text', pluginOptions: { membership: { requires: 'pro' } } } } }
const types: Readonly<Record<string, object>> = { article, recipe, note, part }

const reading = createReading({
  getModel: (uid) => types[uid] as never,
  db: {
    metadata: {
      get: (uid) => {
        const { attributes } = types[uid] as { attributes: Record<string, { type: string; target?: string }> }
        const stored = Object.entries(attributes).map(([name, { type, target }]) => {
          const own = type === 'dynamiczone' ? { type: 'relation' } : { type, ...(target ? { target } : {}) }
          return [name, { ...own, columnName: name === 'tip' ? 'tip_column' : name }]
        })
        return { attributes: Object.fromEntries(stored) as never }
      },
    },
  },
})
function readerWith(...open: string[]): Reader {
  return {
    allows: (gates) => gates.some((gate) => open.includes(gate)),
    refuse: (message) => {
      throw new Error(message)
    },
  }
}
const visitor = readerWith()
const ada = readerWith('pro')
function constrained(reader: Reader, uid: string, params: Record<string, unknown>) {
  reading.constrain(reader, uid, params)
  return params
}

const published = { publishedAt: { $notNull: true } }
const free = { gate: { $null: true } }
const isPro = { $and: [{ gate: { $notNull: true } }, { gate: { $in: ['pro'] } }] }
const never = { id: { $null: true } }

test('a visitor finds published documents without a gate, and a member also those of their gates', (t) => {
  t.deepEqual(constrained(visitor, 'article', {}), { where: { $and: [{ $or: [free] }, published] } })
  t.deepEqual(constrained(ada, 'article', { where: { title: 'A' } }), {
    where: { $and: [{ title: 'A' }, { $or: [free, isPro] }, published] },
  })
})

test('a filter through a relation finds only rows that the reader may see', (t) => {
  const { where } = constrained(visitor, 'note', {
    where: { title: 'x', about: { body: { $contains: 'A' } } },
  })
  t.deepEqual(where, {
    $and: [{ title: 'x' }, { about: { $and: [{ body: { $contains: 'A' } }, { $or: [free] }, published] } }],
  })
  t.deepEqual(constrained(visitor, 'note', { where: { about: { $in: [1] } } }), {
    where: { about: { $in: [1] } },
  })
})

test('a filter or an order by a closed attribute is refused, also by the name of its column', (t) => {
  const fails = (params: Record<string, unknown>, message: RegExp) =>
    t.throws(() => constrained(visitor, 'note', params), { message })
  fails({ where: { tip: 'A' } }, /Invalid key tip/)
  fails({ where: { $or: [{ $not: { tip_column: { $contains: 'A' } } }] } }, /Invalid key tip/)
  fails({ orderBy: [{ tip: 'asc' }] }, /Invalid sort by tip/)
  fails({ orderBy: { about: { body: 'asc' } } }, /Invalid sort by about/)
  fails({ populate: { recipe: { orderBy: 'body' } } }, /Invalid sort by body/)
  t.notThrows(() => constrained(ada, 'note', { where: { tip: 'A' }, orderBy: 'tip' }))
})

test('an attribute that the gate closes is compared only in rows whose gate is open', (t) => {
  t.deepEqual(constrained(visitor, 'recipe', { where: { $not: { body: 'A' } } }), {
    where: { $not: { $and: [{ body: 'A' }, never] } },
  })
  t.deepEqual(constrained(ada, 'recipe', { where: { body: 'A' } }), { where: { body: 'A' } })
  t.deepEqual(constrained(visitor, 'recipe', { _q: 'A' }), {
    where: { $or: [{ $and: [{ body: { $containsi: 'A' } }, never] }, { gate: { $containsi: 'A' } }] },
  })
})

test('populated rows have the same conditions, in every form in which Strapi takes populate', (t) => {
  const about = { where: { $and: [{ $or: [free] }, published] } }
  for (const populate of ['about', ['about'], { about: true }, { about: {} }])
    t.deepEqual(constrained(visitor, 'note', { populate }).populate, { about })
  t.deepEqual(constrained(visitor, 'note', { populate: { parts: { populate: ['x'] } } }).populate, {
    parts: { on: { part: { populate: {} } } },
  })
  const all = constrained(visitor, 'note', { populate: true }).populate as object
  t.deepEqual(Object.keys(all), ['about', 'recipe', 'parts', 'related'])
})

test('closed attributes leave the answer, and rows of any type only stay if they are open', (t) => {
  const row = {
    title: 'A',
    tip: 'secret',
    recipe: { body: 'secret', gate: 'pro' },
    parts: [{ __component: 'part', hint: 'secret' }],
    related: [
      { __type: 'article', body: 'secret', gate: 'pro', publishedAt: 'x' },
      { __type: 'article', body: 'free', gate: null, publishedAt: 'x' },
      { __type: 'article', body: 'draft', gate: null, publishedAt: null },
      { __type: 'article', body: 'unknown', publishedAt: 'x' },
    ],
  }
  reading.strip(visitor, 'note', row, { isConstrained: true })
  t.deepEqual(row as unknown, {
    title: 'A',
    recipe: { gate: 'pro' },
    parts: [{ __component: 'part' }],
    related: [{ __type: 'article', body: 'free', gate: null, publishedAt: 'x' }],
  })
})

test('the answer to a change holds what its author may read', (t) => {
  const made = { id: 1, documentId: 'd', body: 'secret', gate: 'pro', publishedAt: 'x' }
  t.deepEqual(reading.stripChanged(visitor, 'article', { ...made }), { id: 1, documentId: 'd' })
  t.deepEqual(reading.stripChanged(ada, 'article', { ...made }), made)
  const changed = { id: 2, documentId: 'n', title: 'N', about: { ...made }, tip: 'secret' }
  t.deepEqual(reading.stripChanged(visitor, 'note', { documentId: 'n', entries: [changed] }), {
    documentId: 'n',
    entries: [{ id: 2, documentId: 'n', title: 'N', about: null }],
  })
})
