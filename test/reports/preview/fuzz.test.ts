import test from 'ava'
import fc from 'fast-check'
import { isMembershipError } from '../../../src/core/errors.ts'
import { createImages } from '../../../src/reports/preview/index.ts'
import { settings } from '../../support/converge.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { noise, openServer, segmentsOf } from './support.ts'

interface Mutation {
  kind: 'set' | 'insert' | 'remove' | 'repeat' | 'cut'
  /** Where, in ten-thousandths of the length. */
  at: number
  length: number
  bytes: Uint8Array
}

const pieces = [
  '\r\n',
  '\r',
  '\n',
  '\0',
  '--',
  '\r\n\r\n',
  '\r\n--a-boundary',
  '--a-boundary--',
  'name="preview"',
]
const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('set', 'insert', 'remove', 'repeat', 'cut'),
    at: fc.integer({ min: 0, max: 10_000 }),
    length: fc.integer({ min: 0, max: 200 }),
    bytes: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 8 }),
      fc.constantFrom(...pieces).map((text): Uint8Array => Buffer.from(text)),
      fc.integer({ min: 0xc0, max: 0xfe }).map((code): Uint8Array => Buffer.from([0xff, code])),
    ),
  }),
  { minLength: 1, maxLength: 4 },
)

function mutate(original: Buffer, changes: readonly Mutation[]): Buffer {
  return changes.reduce((body, { kind, at, length, bytes }) => {
    const start = Math.floor((at * body.length) / 10_000)
    const head = body.subarray(0, start)
    const rest = body.subarray(start)
    const after = body.subarray(start + length)
    if (kind === 'set') return Buffer.concat([head, bytes, rest.subarray(bytes.length)])
    if (kind === 'insert') return Buffer.concat([head, bytes, rest])
    if (kind === 'remove') return Buffer.concat([head, after])
    if (kind === 'repeat') return Buffer.concat([head, rest.subarray(0, length), rest])
    return head
  }, original)
}

const answers = new Set([200, 400, 413, 415, 422])

for (const name of ['with sharp', 'without sharp'])
  test(`${name} a randomly changed form is accepted or refused, and nothing hangs or crashes`, async (t) => {
    const server = await openServer(t, name === 'with sharp' ? {} : { sharp: false })
    const { body, contentType } = multipart([
      { name: 'note', body: 'x' },
      filePart(await noise(64, 48).jpeg().toBuffer()),
    ])
    const seen = new Set<number>()
    await fc.assert(
      fc.asyncProperty(mutations, async (changes) => {
        const answer = await server.post({ body: mutate(body, changes), contentType })
        seen.add(answer.status)
        return answers.has(answer.status)
      }),
      settings(name === 'with sharp' ? 300 : 60),
    )
    t.true(seen.has(200) && seen.has(400) && (seen.has(422) || name === 'without sharp'))
    t.is((await server.post({ body, contentType })).status, 200)
  })

test('without sharp a randomly changed JPEG is refused or reduced to its picture', async (t) => {
  const images = createImages({ sharp: false })
  const jpeg = await noise(64, 48).jpeg().toBuffer()
  const outcomes = { taken: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(mutations, async (changes) => {
      try {
        const { bytes } = await images.toPreview(mutate(jpeg, changes))
        outcomes.taken += 1
        const { segments, trailing } = segmentsOf(bytes)
        const foreign = segments.filter(({ code }) => code === 0xfe || (code > 0xe1 && code < 0xee))
        return trailing === 0 && foreign.length === 0
      } catch (error) {
        outcomes.refused += 1
        if (isMembershipError(error) && error.status < 500) return true
        throw error
      }
    }),
    settings(150),
  )
  t.true(outcomes.taken > 0 && outcomes.refused > 20, JSON.stringify(outcomes))
})
