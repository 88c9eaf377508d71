import { gated } from 'membership/nuxt/server'
import { posts } from '../../../posts.mjs'

export default defineEventHandler(gated('pro', () => posts.find(({ slug }) => slug === 'archive')))
