export { type Codes, createCodes } from './codes.ts'
export { createGiftMails, type GiftMailsDeps } from './gift-mails.ts'
export {
  createGifts,
  type Gift,
  type GiftOrder,
  type GiftQuery,
  type GiftStatus,
  type GiftsService,
  type NewCodes,
} from './gifts.ts'
export { giftLife } from './life.ts'
export { createRedeemable } from './redeemable.ts'
export { giftRouter, stateIn } from './router.ts'
export { putOffsIn } from './settling.ts'
export { unpaidGifts } from './statements.ts'
