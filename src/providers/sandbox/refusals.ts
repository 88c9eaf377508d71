import { MembershipError } from '../../core/errors.ts'
import { Refusal } from '../../fakes/engine/index.ts'

/** Runs something, and describes the engine's refusals. */
export async function inWords<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw error.code === 'declined' ? declined() : refusal(error.code)
  }
}

/** ERR_PAYMENT_DECLINED when nothing was changed. */
export function declined(): MembershipError {
  return new MembershipError('ERR_PAYMENT_DECLINED', 'The payment was declined; nothing was changed.', {
    action: 'Use another card.',
  })
}

/** ERR_PROVIDER_ANSWER with the reason. */
export function refusal(why: string): MembershipError {
  return new MembershipError('ERR_PROVIDER_ANSWER', `The sandbox refused: ${why}.`, {
    action: 'See the subscription in the account.',
  })
}
