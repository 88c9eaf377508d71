import config from '@payload-config'
import { membershipRoutes } from 'membership/payload'

export const { GET, POST } = membershipRoutes(config)
