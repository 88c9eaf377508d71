import { withPayload } from '@payloadcms/next/withPayload'

export default withPayload({
  serverExternalPackages: ['membership', 'better-sqlite3'],
  typescript: { ignoreBuildErrors: true },
})
