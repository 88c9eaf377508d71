import test from 'ava'
import { isUrl } from '../../src/core/url.ts'

test('an address with letters of other languages stays one, however often it is asked', (t) => {
  const answers = new Set<boolean>()
  for (let n = 0; n < 50_000; n++) answers.add(isUrl('https://ä.example/ü'))
  t.deepEqual([...answers], [true])
  t.false(isUrl('ä.example'))
  t.true(isUrl('/ü', 'https://ä.example'))
})
