import test from 'ava'
import { isUrl } from '../../src/core/url.ts'

test('an internationalised address stays the same however often it is converted', (t) => {
  const answers = new Set<boolean>()
  for (let n = 0; n < 50_000; n++) answers.add(isUrl('https://ä.example/ü'))
  t.deepEqual([...answers], [true])
  t.false(isUrl('ä.example'))
  t.true(isUrl('/ü', 'https://ä.example'))
})
