import type { SecretShapes } from '../secret-shapes.ts'

/** `polar_oat_…` of an organisation, `polar_pat_…` of a person, `polar_cst_…` of a customer's session; an endpoint's secret
 *  is `whsec_…`, earlier `polar_whs_…`, or a text of one's own. No key tells its mode: the sandbox is another host.
 *  Source: https://polar.sh/docs/integrate/authentication */
export const polarSecrets = {
  prefixes: ['polar_', 'whsec_'],
  mistaken: {
    webhook: [
      [/^polar_(oat|pat|at)_/, 'an API key'],
      [/^polar_cst_/, 'the token of a customer’s session'],
    ],
    secret: [
      [/^(polar_whs_|whsec_)/, 'a webhook secret'],
      [/^polar_cst_/, 'the token of a customer’s session'],
    ],
  },
} satisfies SecretShapes
