import type { Tokens } from '../../core/http/tokens.ts'
import { lazy } from '../../core/lazy.ts'

/** The secret is made, and a file written, only when something is signed. */
export const lazyTokens = (make: () => Tokens): Tokens => {
  const tokens = lazy(make)
  return {
    sign: (...args) => tokens().sign(...args),
    verify: (...args) => tokens().verify(...args),
    formToken: (...args) => tokens().formToken(...args),
    isFormToken: (...args) => tokens().isFormToken(...args),
    signIntent: (...args) => tokens().signIntent(...args),
    isSignedIntent: (...args) => tokens().isSignedIntent(...args),
  }
}
