import test from 'ava'
import { createStore } from '../../src/fakes/engine/index.ts'
import type { Restore } from '../../src/fakes/engine/replica.ts'

const refund = (id: string, charge: string) => ({ kind: 'refund' as const, id, charge }) as never

test('objects are found by a field as the list of all has them, also after changes and after a state came back', (t) => {
  const parts: (() => Restore)[] = []
  const store = createStore({ track: (save) => parts.push(save), beforeChange: () => {} })
  const found = (charge: string) => store.having('refund', 'charge', charge).map(({ id }) => id)
  const listed = (charge: string) =>
    store
      .list('refund')
      .filter((each) => each.charge === charge)
      .map(({ id }) => id)

  store.put(refund('a', 'one'))
  t.deepEqual(found('one'), ['a'])
  store.put(refund('b', 'two'))
  store.put(refund('c', 'one'))
  // The older one comes back to its place.
  store.put(refund('a', 'two'))
  store.put(refund('a', 'one'))
  t.deepEqual(found('one'), ['a', 'c'])
  t.deepEqual(found('two'), ['b'])

  const restore = parts.map((save) => save())
  store.put(refund('b', 'one'))
  store.put(refund('d', 'one'))
  t.deepEqual(found('one'), ['a', 'b', 'c', 'd'])
  for (const back of restore) back()
  for (const charge of ['one', 'two', 'none']) t.deepEqual(found(charge), listed(charge))
  t.deepEqual(found('one'), ['a', 'c'])
})
