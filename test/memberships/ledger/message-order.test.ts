import test from 'ava'
import fc from 'fast-check'
import { withSnapshot } from '../../../src/memberships/ledger/history.ts'
import {
  answerStands,
  currentOf,
  type History,
  joinHistories,
  type Mark,
  markId,
} from '../../../src/memberships/ledger/message-order.ts'
import { settings } from '../../support/converge.ts'

function second(n: number): string {
  return new Date(1_772_323_200_000 + n * 1000).toISOString()
}

function mark(fields: Partial<Mark> & { digest: string }): Mark {
  return {
    id: `evt_${fields.follows ?? ''}${fields.digest}`,
    follows: null,
    stage: 'updated',
    rank: 0,
    source: 'event',
    ...fields,
  }
}

/** The history of these snapshots, each at its second. */
function historyOf(...snapshots: readonly (readonly [number, Mark])[]): History<string> {
  return snapshots
    .map(
      ([at, mark]): History<string> => ({
        at: second(at),
        marks: [mark],
        contents: { [mark.digest]: `content ${mark.digest}` },
        prior: null,
        answer: null,
      }),
    )
    .reduce(joinHistories)
}

// Few values, so that moments, contents and followings meet.
const digest = fc.constantFrom('A', 'B', 'C', 'D')
const snapshots: fc.Arbitrary<readonly (readonly [number, Mark])[]> = fc
  .array(
    fc.tuple(
      fc.constantFrom(0, 0.7, 1, 2, 5),
      fc.record({
        id: fc.constantFrom('e1', 'e2', 'e3', 'e4', 'e5', 'e6'),
        digest,
        follows: fc.option(digest, { nil: null }),
        stage: fc.constantFrom('created' as const, 'updated' as const, 'deleted' as const),
        rank: fc.nat(2),
        source: fc.constantFrom('event' as const, 'event' as const, 'fetch' as const),
      }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  // A message says one thing at one time.
  .map((list) => [...new Map(list.map((item) => [item[1].id, item])).values()])

test('merging histories is independent of order, grouping and repetition', (t) => {
  fc.assert(
    fc.property(snapshots, snapshots, snapshots, (x, y, z) => {
      const item = new Map([...x, ...y, ...z].map((s) => [s[1].id, s]))
      const of = (list: typeof x) => historyOf(...list.map((s) => item.get(s[1].id)!))
      const [a, b, c] = [of(x), of(y), of(z)]
      t.deepEqual(joinHistories(a, b), joinHistories(b, a))
      t.deepEqual(joinHistories(joinHistories(a, b), c), joinHistories(a, joinHistories(b, c)))
      t.deepEqual(joinHistories(a, a), a)
      t.deepEqual(joinHistories(joinHistories(a, b), b), joinHistories(a, b))
    }),
    settings(2000),
  )
})

test('the winning snapshot is the same in every order, and its content is kept', (t) => {
  fc.assert(
    fc.property(snapshots, fc.integer({ min: 1 }), (list, seed) => {
      const history = historyOf(...list)
      const other = [...list].sort(
        (a, b) => ((a[1].id.charCodeAt(1) * seed) % 7) - ((b[1].id.charCodeAt(1) * seed) % 7),
      )
      t.deepEqual(currentOf(historyOf(...other)), currentOf(history))
      const { digest } = currentOf(history)
      t.is(history.answer ?? history.contents[digest], `content ${digest}`)
      t.is(history.answer !== null, answerStands(history))
    }),
    settings(2000),
  )
})

test('a row keeps all needed history: stored and read at each step, it equals the in-memory result', (t) => {
  fc.assert(
    fc.property(snapshots, (list) => {
      const columnsOf = (all: readonly History<string>[]) => {
        let row: ReturnType<typeof withSnapshot<string>>['columns'] | undefined
        for (const history of all) row = withSnapshot(row, history).columns
        return { ...row, tied: JSON.parse(row?.tied ?? 'null') }
      }
      const singles = list.map((item) => historyOf(item))
      t.deepEqual(columnsOf(singles), columnsOf([historyOf(...list)]))
      t.deepEqual(columnsOf(singles.toReversed()), columnsOf(singles))
    }),
    settings(2000),
  )
})

test('a copy repeated in every event is stored once, whichever came first', (t) => {
  const copies = ['evt_3', 'evt_1', 'evt_2'].map((id) => historyOf([0, mark({ id, digest: 'A' })]))
  const joined = copies.reduce(joinHistories)
  t.deepEqual(joined.marks, [mark({ id: 'evt_1', digest: 'A' })])
  t.deepEqual(joined, copies.toReversed().reduce(joinHistories))
  const answers = ['a', 'b'].map((id) => historyOf([0, mark({ id, digest: 'A', source: 'fetch' })]))
  t.is(answers.reduce(joinHistories).marks.length, 2)
})

test('contents that differ only in key order merge in the same way', (t) => {
  const content = (value: object): History<object> => ({
    at: second(0),
    marks: [mark({ digest: 'A' })],
    contents: { A: value },
    prior: null,
    answer: null,
  })
  const [a, b] = [content({ x: 1, y: 2 }), content({ y: 2, x: 1 })]
  t.is(JSON.stringify(joinHistories(a, b)), JSON.stringify(joinHistories(b, a)))
})

test('of created and updated within a second the update wins', (t) => {
  const history = historyOf(
    [0, mark({ digest: 'new', stage: 'created', rank: 9 })],
    [0, mark({ digest: 'paid', follows: 'new' })],
  )
  t.deepEqual(currentOf(history), { digest: 'paid', contested: false })
})

test('three changes within a second are ordered by their previous values', (t) => {
  const [a, b, c] = [
    mark({ digest: 'B', follows: 'A', rank: 9 }),
    mark({ digest: 'C', follows: 'B' }),
    mark({ digest: 'D', follows: 'C' }),
  ] as const
  t.deepEqual(currentOf(historyOf([0, c], [0, a], [0, b])), { digest: 'D', contested: false })
})

const cancel = mark({ digest: 'cancelling', follows: 'active', rank: 5 })
const resume = mark({ digest: 'active', follows: 'cancelling', rank: 4 })

test('cancelled and resumed within a second: previous values show that it is resumed', (t) => {
  const before = mark({ digest: 'active', stage: 'created' })
  t.deepEqual(currentOf(historyOf([5, cancel], [0, before], [5, resume])), {
    digest: 'active',
    contested: false,
  })
})

test('resumed and cancelled within a second: the same two events in the other order', (t) => {
  const before = mark({ digest: 'cancelling' })
  t.deepEqual(currentOf(historyOf([5, cancel], [0, before], [5, resume])), {
    digest: 'cancelling',
    contested: false,
  })
})

test('created, cancelled and resumed within a second is resumed', (t) => {
  const created = mark({ digest: 'active', stage: 'created', id: 'evt_created' })
  t.deepEqual(currentOf(historyOf([0, cancel], [0, created], [0, resume])), {
    digest: 'active',
    contested: false,
  })
})

test('a cycle of changes without a start is contested, and the higher rank wins meanwhile', (t) => {
  t.deepEqual(currentOf(historyOf([0, cancel], [0, resume])), { digest: 'cancelling', contested: true })
})

test('unconnected changes are contested', (t) => {
  const history = historyOf(
    [0, mark({ digest: 'B', follows: 'A' })],
    [0, mark({ digest: 'D', follows: 'C' })],
  )
  t.deepEqual(currentOf(history), { digest: 'D', contested: true })
})

test('of several events within a second deletion comes last', (t) => {
  const history = historyOf([0, mark({ digest: 'gone', stage: 'deleted' })], [0, { ...cancel, rank: 99 }])
  t.deepEqual(currentOf(history), { digest: 'gone', contested: false })
})

test('deleted and recreated, or changed again, within a second is contested', (t) => {
  const gone = mark({ digest: 'gone', stage: 'deleted' })
  const anew = mark({ digest: 'active', stage: 'created' })
  const note = mark({ digest: 'gone with a note', follows: 'gone' })
  t.true(currentOf(historyOf([0, gone], [0, anew])).contested)
  t.true(currentOf(historyOf([0, gone], [0, note])).contested)
})

test('a deletion is contested by another content of it, and not by a change that stored nothing', (t) => {
  const gone = mark({ digest: 'gone', stage: 'deleted' })
  const note = mark({ digest: 'gone', follows: 'gone' })
  const earlier = mark({ digest: 'active', follows: 'trial' })
  t.deepEqual(currentOf(historyOf([0, gone], [0, note])), { digest: 'gone', contested: false })
  t.deepEqual(currentOf(historyOf([0, earlier], [0, gone])), { digest: 'gone', contested: false })
  const again = mark({ digest: 'gone differently', stage: 'deleted', rank: 1 })
  for (const list of [
    [gone, again],
    [again, gone],
  ])
    t.deepEqual(currentOf(historyOf(...list.map((mark) => [0, mark] as const))), {
      digest: 'gone differently',
      contested: true,
    })
})

test('a fork, a change of unknown origin, and a circle that began elsewhere are contested', (t) => {
  const change = (follows: string | null, digest: string, rank = 0) => mark({ follows, digest, rank })
  const after = (start: string, ...changes: readonly Mark[]) =>
    currentOf(historyOf([0, mark({ digest: start })], ...changes.map((change) => [9, change] as const)))
  t.deepEqual(after('A', change('A', 'B', 1), change('A', 'C')), { digest: 'B', contested: true })
  t.deepEqual(after('A', change('A', 'B'), change(null, 'C')), { digest: 'C', contested: true })
  t.deepEqual(after('C', change('A', 'B', 1), change('B', 'A')), { digest: 'B', contested: true })
  t.deepEqual(after('A', change('A', 'B', 1), change('B', 'A')), { digest: 'A', contested: false })
  // Two contents of one rank: the same one everywhere.
  t.deepEqual(after('A', change('A', 'B'), change('A', 'C')), { digest: 'C', contested: true })
  // A change that stored nothing is no step of the chain.
  t.deepEqual(after('A', change('A', 'B'), change('B', 'B')), { digest: 'B', contested: false })
  t.deepEqual(after('A', change('A', 'B'), change('B', 'C'), change('X', 'X')), {
    digest: 'X',
    contested: true,
  })
})

function answer(digest: string) {
  return mark({ digest, id: `fetch:${digest}`, source: 'fetch' })
}

test('two answers of one moment that differ are contested, and two that agree are not', (t) => {
  const [active, paused] = [answer('active'), { ...answer('paused'), rank: 1 }]
  t.deepEqual(currentOf(historyOf([0, active], [0, paused])), { digest: 'paused', contested: true })
  t.deepEqual(currentOf(historyOf([0, active], [0, { ...active, id: 'fetch:later' }])), {
    digest: 'active',
    contested: false,
  })
})

test('an answer soon after another is the newer one, whatever it says', (t) => {
  t.deepEqual(currentOf(historyOf([0, answer('active')], [2, answer('paused')])), {
    digest: 'paused',
    contested: false,
  })
})

test('an answer to our own call beats the tie of its moment', (t) => {
  t.deepEqual(currentOf(historyOf([0, cancel], [0, answer('active')], [0, resume])), {
    digest: 'active',
    contested: false,
  })
})

test('an event soon after an answer is contested unless both are equal; later it is not', (t) => {
  t.deepEqual(currentOf(historyOf([0, answer('active')], [2, cancel])), {
    digest: 'cancelling',
    contested: true,
  })
  t.false(currentOf(historyOf([0, answer('cancelling')], [2, cancel])).contested)
  t.false(currentOf(historyOf([0, answer('active')], [3, cancel])).contested)
})

test('an answer in the middle of a cycle does not show where it began', (t) => {
  // Read between the two messages, whose second is after the answer’s moment.
  t.true(currentOf(historyOf([0, answer('cancelling')], [1, cancel], [1, resume])).contested)
  t.deepEqual(currentOf(historyOf([0, answer('active')], [9, cancel], [9, resume])), {
    digest: 'active',
    contested: false,
  })
})

test('a creation event is older than an answer about the object: the answer wins, and is fetched again', (t) => {
  const begun = mark({ digest: 'incomplete', stage: 'created', rank: 0 })
  const paid = answer('active')
  const history = historyOf([0, paid], [1, begun])
  t.deepEqual(currentOf(history), { digest: 'active', contested: true })
  t.is(history.answer, 'content active')
  // The next message tells where it went from there.
  const next = historyOf([0, paid], [1, begun], [1, mark({ digest: 'active', follows: 'incomplete' })])
  t.deepEqual(currentOf(next), { digest: 'active', contested: false })
  const other = historyOf([0, paid], [1, begun], [1, mark({ digest: 'paused', follows: 'incomplete' })])
  t.is(currentOf(other).digest, 'paused')
  // Later than its window the answer knew nothing of it: the same id was made anew.
  t.deepEqual(currentOf(historyOf([0, paid], [3, begun])), { digest: 'incomplete', contested: false })
})

interface Listed {
  readonly items: readonly { readonly id: string }[]
  readonly cut?: true
}
function listed(at: number, ids: readonly string[], cut: boolean, n: number): History<Listed> {
  const content: Listed = { items: ids.map((id) => ({ id })), ...(cut ? { cut: true } : {}) }
  const digest = JSON.stringify(content)
  return {
    at: second(at),
    marks: [mark({ id: `e${n}`, digest, source: n % 3 === 0 ? 'fetch' : 'event' })],
    contents: { [digest]: content },
    prior: null,
    answer: null,
  }
}

test('an excerpt removes no item of the newest complete list, in any order or repetition', (t) => {
  const ids = fc.subarray(['i1', 'i2', 'i3', 'i4'], { minLength: 1 })
  const lists = fc
    .array(fc.tuple(fc.constantFrom(0, 1, 2, 5), ids, fc.boolean()), { minLength: 1, maxLength: 6 })
    .map((all) => all.map(([at, shown, cut], n) => ({ at, shown, cut, history: listed(at, shown, cut, n) })))
  const rowOf = (all: readonly History<Listed>[]) => {
    let row: ReturnType<typeof withSnapshot<Listed>>['columns'] | undefined
    for (const history of all) row = withSnapshot(row, history).columns
    return { ...row!, tied: JSON.parse(row!.tied ?? 'null') }
  }
  fc.assert(
    fc.property(lists, fc.array(fc.nat(5), { maxLength: 12 }), (all, picks) => {
      const histories = all.map(({ history }) => history)
      const others = [...picks.map((n) => histories[n % histories.length]!), ...histories.toReversed()]
      const row = rowOf(histories)
      t.deepEqual(rowOf(others), row)
      const wholes = all
        .filter(({ cut }) => !cut)
        .sort(
          (a, b) => b.at - a.at || b.shown.length - a.shown.length || (`${a.shown}` > `${b.shown}` ? -1 : 1),
        )
      const content = JSON.parse(row.data) as Listed
      t.false('cut' in content)
      const stands = all.some(
        ({ cut, history }) => cut && row.marks.includes(JSON.stringify(history.marks[0]!.digest)),
      )
      const known = wholes[0]?.shown ?? []
      if (!all.some(({ cut }) => !cut) || !stands || !row.items || !JSON.parse(row.items).shown) return
      t.true(known.every((id) => content.items.some((item) => item.id === id)))
    }),
    settings(1000),
  )
})

test('a copy is evidence once under any event name; an answer and a following change each count', (t) => {
  t.is(markId({ id: 'evt_1', source: 'event' }), '')
  t.is(markId({ id: 'evt_1', source: 'event' }), markId({ id: 'evt_2', source: 'event' }, null))
  t.is(markId({ id: 'evt_1', source: 'event' }, 'before'), 'evt_1')
  t.is(markId({ id: 'fetch:1', source: 'fetch' }), 'fetch:1')
  t.is(markId({ id: 'fetch:1', source: 'fetch' }, 'before'), 'fetch:1')
})
