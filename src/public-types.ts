/**
 * Every further type that occurs in the interface of this package, for what a site’s own types are made of. The types
 * that a site names stand in `membership`.
 * @module membership/types
 */

export type { PriceTerms, Shop, StandingReason } from './core/access/index.ts'
export type { DefinitionLike } from './core/config/definitions.ts'
export type { EnvReference } from './core/config/env.ts'
export type { PlanConfig, QuantityRange, Supply } from './core/config/plan-config.ts'
export type {
  Additions,
  ChangeConfig,
  ChangeMoment,
  DiscountConfig,
  PauseConfig,
  ProviderConfig,
  WebhookSecretConfig,
} from './core/config/provider.ts'
export type { accountExportSchema } from './core/dto/account-export.ts'
export type * from './core/dto/index.ts'
export type { Duration } from './core/duration.ts'
export type { DetailsOf, ExtensionsOf, refusalReasons } from './core/errors.ts'
export type { ErrorPage } from './core/http/problems.ts'
export type { Access, Authentication, Route } from './core/http/route-access.ts'
export type { OutboxFilter, QueuedMessage } from './core/jobs/outbox.ts'
export type { OutboxRow, QueuedRow } from './core/jobs/statements.ts'
export type { Listing } from './core/listing.ts'
export type { Log } from './core/log.ts'
export type { Render } from './core/pages/index.ts'
export type {
  FieldValue,
  KeysIn,
  Known,
  ListedIn,
  Named,
  Names,
  NamesIn,
  PricesIn,
  Registered,
  RegisteredNames,
} from './core/register.ts'
export type { Markup, Part as MemberPart } from './core/words/markup.ts'
export type { Given, NamesOf, Voice, WordKey, WordValues } from './core/words/voice.ts'
export type {
  AppleKeys,
  ChargebeeKeys,
  CreemKeys,
  DodoKeys,
  Flag,
  GoogleKeys,
  LemonsqueezyKeys,
  MollieKeys,
  Numeric,
  OwnDottedKeys,
  OwnKeys,
  OwnProvider,
  PaddleKeys,
  PaypalKeys,
  PlanPart,
  PolarKeys,
  RevenuecatKeys,
  SandboxKeys,
  SitePlanKeys,
  SitePlanPart,
  SitePriceKeys,
  StripeKeys,
  Text as ConfigText,
} from './generated/configuration-keys.ts'
export type { Words } from './generated/words.ts'
export type { Deletion } from './memberships/account/deletion.ts'
export type { DeletionStep } from './memberships/account/deletion-statements.ts'
export type { ExportOf } from './memberships/account/export.ts'
export type { Fields, FieldType, fieldTypes } from './memberships/account/fields.ts'
export type { Restored } from './memberships/after-restore/after-restore.ts'
export type { AuditEntry, AuditedAction, AuditRecord } from './memberships/audit-log/audit-log.ts'
export type {
  ActionDescription,
  BoughtAgain,
  CancelInput,
  DescribeInput,
  ShownTarget,
} from './memberships/checkout/actions.ts'
export type { ChangeInput, Wanted } from './memberships/checkout/changing.ts'
export type { AskedAmount } from './memberships/checkout/chosen-amount.ts'
export type { Consent } from './memberships/checkout/consent.ts'
export type { DiscountInput } from './memberships/checkout/discounting.ts'
export type { PauseInput } from './memberships/checkout/pausing.ts'
export type { PaymentKey, RefundEnd, RefundInput } from './memberships/checkout/refunds.ts'
export type { BeginCheckout, CheckoutOrder } from './memberships/checkout/request.ts'
export type { ActionResult } from './memberships/checkout/single-action.ts'
export type { Target } from './memberships/checkout/target.ts'
export type { FeedAnswer, FeedHandler, FeedRequest, MemberFeed } from './memberships/downloads/feeds.ts'
export type { AllowedFile, FileLink, PresignFile } from './memberships/downloads/files.ts'
export type { Gift, GiftQuery, GiftStatus, NewCodes } from './memberships/gifts/gifts.ts'
export type { Group, GroupSeat, Invitation, Removal } from './memberships/groups/groups.ts'
export type {
  After,
  AfterEvents,
  AliasHooks,
  Answer,
  afterAliases,
  Before,
  BeforeEvents,
  beforeAliases,
  Notified,
  OneOrMore,
  Purchase,
  Refusal,
} from './memberships/hooks/hook-events.ts'
export type { Field as MemberField, fields } from './memberships/import/exports.ts'
export type { FileImported, FileImportRequest, RefusedRow } from './memberships/import/import-file.ts'
export type {
  ImportProgress,
  NamedPurchase,
  ProviderImported,
  ProviderImportRequest,
  RefusedPurchase,
} from './memberships/import/import-provider.ts'
export type { Import } from './memberships/import/index.ts'
export type { DateOrder } from './memberships/import/moments.ts'
export type { RowTrouble } from './memberships/import/read-row.ts'
export type { Unmatched, UnmatchedReason } from './memberships/import/unmatched.ts'
export type { StoredPurchase } from './memberships/ledger/index.ts'
export type { LimitCorrection, LimitOwner, Limits, Reservation } from './memberships/limits/index.ts'
export type { Abilities, ActionForm, NoAction, OfferAction, OwnAction } from './memberships/members/action.ts'
export type { Arrears } from './memberships/members/arrears.ts'
export type { MemberCustomer } from './memberships/members/customers.ts'
export type { FirstPrice } from './memberships/members/first-price.ts'
export type { Flash, FlashCode, flashCodes } from './memberships/members/flash.ts'
export type { GateOptions, GateTerms } from './memberships/members/gates.ts'
export type { HostIdentity } from './memberships/members/identities.ts'
export type { ListedMember, MemberPage, MemberQuery } from './memberships/members/listing-statements.ts'
export type { GrantRow } from './memberships/members/statements.ts'
export type { OpensAfter, SubscriptionFilter } from './memberships/members/user.ts'
export type { NewGrant, NewMember } from './memberships/members/users.ts'
export type { GateAnswer, GatesOnTerms, WallOptions } from './memberships/members/walls.ts'
export type { Merge, MergeInput, Merging, Unmerge, UnmergeInput } from './memberships/merging/merging.ts'
export type { MergeNote, Moves } from './memberships/merging/pair.ts'
export type { Health } from './memberships/monitoring/health.ts'
export type { Endpoint } from './memberships/monitoring/silence.ts'
export type { Alert, Noticed, Trouble, TroubleKind } from './memberships/monitoring/troubles.ts'
export type {
  KeptReason,
  Raise,
  RaisePlan,
  RaisePlanMember,
  RaiseRequest,
} from './memberships/raises/raises.ts'
export type { RaisedMember, RaisedRow, RaiseRow, RaiseState } from './memberships/raises/statements.ts'
export type { Declaration, DeclarationQuery, Declared } from './memberships/shop/declarations.ts'
export type { RequestedBy, RuleName } from './memberships/subscriptions/changes.ts'
export type { SwitchKind, Target as MemberTarget } from './memberships/switching/plan.ts'
export type { Switched, Switching, SwitchProvider, SwitchRequest } from './memberships/switching/requests.ts'
export type { AssignedPayment, Assignment } from './memberships/sync/assign.ts'
export type { Compare, CompareRequest, Comparison } from './memberships/sync/compare.ts'
export type { Difference, DifferenceKind, Side } from './memberships/sync/differences.ts'
export type { ConnectInput, Connection } from './memberships/sync/endpoints.ts'
export type { ForeignLists, KeepForeignRequest, StoredForeign } from './memberships/sync/foreign.ts'
export type { OtherProduct } from './memberships/sync/others.ts'
export type { Compared, OnProgress } from './memberships/sync/progress.ts'
export type { EventQuery } from './memberships/webhooks/archive.ts'
export type { Outcome } from './memberships/webhooks/inbox.ts'
export type { Pull, PulledEvent, PullOptions } from './memberships/webhooks/pull.ts'
export type { Receive } from './memberships/webhooks/receive.ts'
export type { EventRow, ListedEvent, StoredEvent } from './memberships/webhooks/statements.ts'
export type { Edit } from './migrate/edits.ts'
export type { RollbackReport } from './migrate/journal/rollback.ts'
export type { WriteReport } from './migrate/journal/write.ts'
export type {
  DatabaseChange,
  Decision as MigrationDecision,
  FileChange,
  Given as MigrationGiven,
  Level,
  Part as MigrationPart,
  parts,
  RowChange,
  SiteFacts,
  Skipped,
} from './migrate/plan.ts'
export type { PlanOptions } from './migrate/site.ts'
export type { Source } from './migrate/source.ts'
export type { OfficeOptions } from './office/index.ts'
export type { Insider, Vouched } from './office/office-access.ts'
export type { Role } from './office/operators.ts'
export type { OfficePage } from './office/own-pages.ts'
export type {
  Call,
  CataloguePrice,
  CheckoutRequest,
  ChosenAmount,
  CompleteRequest,
  CustomerUpdate,
  DiscountRequest,
  Flags,
  PauseRequest,
  Payer,
  PortalRequest,
  Proration,
  RefundRequest,
  RemoveRequest,
  ScheduleRequest,
  SubscriptionCall,
  SwapRequest,
} from './providers/calls.ts'
export type {
  Changed,
  DocumentStore,
  Fetched,
  ListedPage,
  ListFrom,
  Rate,
  RouteTools,
  Seller,
  TestMode,
  TestProof,
  Trust,
  Unacknowledged,
  WebhookSecret,
} from './providers/contract.ts'
export type { CalledAddress, EndpointRequest, ProviderEndpoint } from './providers/endpoints.ts'
export type { Feature, features, Lacks } from './providers/features.ts'
export type { LookAlike, LookAlikes, SecretShapes } from './providers/secret-shapes.ts'
export type { Claim, Headers as SignatureHeaders, VerifyHmac } from './providers/signatures.ts'
export type {
  CustomerChange,
  Excerpt,
  MoneyChange,
  MoneyFact,
  MoneyKind,
  PaymentPart,
  Place,
  Placed,
  Purpose,
  Ref,
  Snapshot,
  Stage,
  SubscriptionChange,
  SubscriptionSnapshot,
  TouchChange,
} from './providers/snapshots.ts'
export type { Actor, AuditEntry as IndexAuditEntry } from './reports/audit.ts'
export type { CrawlOptions, CrawlProgress, CrawlResult } from './reports/crawl/crawler.ts'
export type { Certainty, certainties, Detection, Evidence } from './reports/detection/detect.ts'
export type { Channel, channels, Metadata, Scan, Stop } from './reports/detection/types.ts'
export type { Failed, Judged, Seen } from './reports/entries/finding.ts'
export type { Entry, ReportData } from './reports/entries/record.ts'
export type { Caller, KeyEntry, Scope, scopes } from './reports/keys/keys.ts'
export type { WebsiteMerge } from './reports/operator/operator.ts'
export type {
  RelinkLine,
  RelinkOptions,
  RelinkOutcome,
  RelinkResult,
  relinkOutcomes,
} from './reports/operator/relink.ts'
export type { Website, WebsiteFilter, WebsitePage } from './reports/operator/websites.ts'
export type {
  CrawlStatus,
  DetectedSystem,
  ImportDetails,
  ImportSummary,
  IndexAudit,
  IndexAuditRecord,
  IndexCrawl,
  IndexKeys,
  IndexOperator,
  IndexPartners,
  IssuedKey,
  PartnerSummary,
  PatternResult,
  RelinkBatch,
  RelinkUndo,
  ReviewCase,
  RotatedKey,
} from './reports/reports-api.ts'
export type {
  detailsSchema,
  ReportDetails,
  ReportStatus,
  reportSchema,
  reportStatuses,
} from './reports/schemas.ts'
export type { CrawlHourRow } from './reports/statements/crawl-statements.ts'
export type { ExclusionRow, ImportLineRow } from './reports/statements/office-statements.ts'
export type { KeyHolder, KeyRow, PartnerRow } from './reports/statements/partner-statements.ts'
export type { RelinkRequestRow } from './reports/statements/relink-statements.ts'
export type { ReportRow } from './reports/statements/report-statements.ts'
export type { AddressPolicy } from './reports/visit/address.ts'
export type { Resolve, ResolvedAddress } from './reports/visit/network.ts'
export type { Reason, reasons } from './reports/visit/reasons.ts'
export type { Validators, VisitedPage } from './reports/visit/visit.ts'
export type { Leak, LeakKind, LeakOptions, LeakReport } from './site/doctor/leaks.ts'
export type { FetchOrigin } from './site/hosts/web.ts'
export type { HostKind, InputOf, KnownHosts, RequestOf } from './site/identify-input.ts'
export type * from './site/membership-api.ts'
export type { BaseOptions } from './site/options.ts'
export type {
  Visitor,
  VisitorCard,
  VisitorForm,
  VisitorMember,
  VisitorPlan,
  VisitorPrice,
  VisitorWords,
} from './site/pages/index.ts'
