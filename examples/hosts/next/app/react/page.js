import { MembershipProvider } from 'membership/react'
import { posts } from '../../../posts.mjs'
import { AccountCard, Gate, PriceTable, visitor } from '../../lib/membership.js'
import { Export } from './export.js'

export default async function Parts() {
  const archive = posts.find(({ slug }) => slug === 'archive')
  return (
    <MembershipProvider visitor={await visitor()}>
      <AccountCard />
      <PriceTable plans={['pro']} className="prices" />
      <Gate opens="pro" fallback={<p>This text is for members.</p>}>
        <p>{archive.body}</p>
      </Gate>
      <Export />
    </MembershipProvider>
  )
}
