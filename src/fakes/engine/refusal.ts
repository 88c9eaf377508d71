/** Reason for which the engine refuses a request. */
export type RefusalCode =
  | 'declined'
  | 'currency'
  | 'no item'
  | 'no items'
  | 'same price twice'
  | 'other rhythm'
  | 'date outside of the period'
  | 'trial ends in the past'
  | 'nothing to come'
  | 'cannot be paused'
  | 'has schedule'
  | 'is scheduled'
  | 'is not paused'
  | 'no method'
  | 'not paid'
  | 'charged back'
  | 'refunded already'
  | 'no amount'
  | 'more than is left'
  | 'no running phase'
  | 'schedule is over'

/** A refusal that a fake server translates to its provider's error; `about` is its subject. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly about: Readonly<Record<string, string | number>>
  constructor(code: RefusalCode, about: Readonly<Record<string, string | number>> = {}) {
    super(code)
    this.name = 'Refusal'
    this.code = code
    this.about = about
  }
}
