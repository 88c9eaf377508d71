import { MembershipError } from '../core/errors.ts'

/**
 * Returns the label of a provider's only account; '' without one.
 * @throws ERR_USAGE when there are several
 */
export function onlyLabel(provider: string, secrets: readonly { label: string }[]): string {
  const labels = [...new Set(secrets.map(({ label }) => label))]
  if (labels.length <= 1) return labels[0] ?? ''
  throw new MembershipError(
    'ERR_USAGE',
    `The provider "${provider}" has several accounts: ${labels.join(', ')}.`,
    {
      action: `Say whose customers they are: --account ${labels[0]}`,
    },
  )
}
