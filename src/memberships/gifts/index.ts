export { type Codes, createCodes } from '../offers/gift-codes.ts'
export { unpaidGifts } from '../offers/gift-statements.ts'
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
export { giftRouter, stateIn } from './router.ts'
