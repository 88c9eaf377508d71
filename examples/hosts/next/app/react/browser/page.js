'use client'

import { AccountCard, PriceTable } from 'membership/react'
import { Export } from '../export.js'

// All four parts share one request for the visitor.
export default function Parts() {
  return (
    <main>
      <AccountCard />
      <PriceTable plans={['pro']} />
      <Export />
    </main>
  )
}
