import { MembershipError } from '../core/errors.ts'

/** "12,50" or "12.50" as minor units of a currency with so many digits. @throws ERR_FORM for anything that is not surely
 *  an amount: a group of thousands could be either */
export const minorOf = (typed: string, digits: number): number => {
  const [, whole, part = ''] = /^(\d{1,12})(?:[.,](\d{1,4}))?$/.exec(typed.trim()) ?? []
  if (whole === undefined || part.length > digits || (part.length === 3 && digits === 3 && whole.length > 12))
    throw new MembershipError('ERR_FORM', `"${typed.slice(0, 40)}" is no amount.`, {
      action: 'Write it without thousands’ separators, such as 12.50; leave it empty for all that is left.',
    })
  return Number(whole + part.padEnd(digits, '0'))
}
