import { inspect } from 'node:util'
import test from 'ava'
import { MembershipError } from '../../src/core/errors.ts'

test('an error that Node prints shows what it has, and nothing undefined', (t) => {
  const bare = new MembershipError('ERR_NOT_FOUND', 'There is no such plan.')
  t.notRegex(inspect(bare), /undefined|extensions|expose/)
  t.deepEqual([bare.expose, bare.extensions], [true, {}])
  t.is(bare.action, undefined)
  const whole = new MembershipError('ERR_ACTION_REFUSED', 'The subscription is paused already.', {
    reason: 'already_paused',
    action: 'Resume it first.',
    retryAfterSeconds: 0,
  })
  t.regex(inspect(whole), /reason: 'already_paused'/)
  t.deepEqual(
    [whole.reason, whole.action, whole.retryAfterSeconds],
    ['already_paused', 'Resume it first.', 0],
  )
  t.deepEqual(whole.extensions, { reason: 'already_paused' })
  t.notRegex(inspect(whole), /extensions/)
  const withData = new MembershipError('ERR_LIMIT', 'No calls are left.', { extensions: { limit: 'calls' } })
  t.regex(inspect(withData), /extensions: \{ limit: 'calls' \}/)
})
