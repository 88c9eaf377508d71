// Made by `npm run docs` from docs/openapi.json.
export interface paths {
    "/membership/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What would be bought; the query is the form of the purchase */
        get: operations["orderPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/subscribe/{plan}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a checkout of a subscription ended */
        get: operations["subscribed"];
        put?: never;
        /** Starts a subscription */
        post: operations["subscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/payment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts the purchase of something that is paid once */
        post: operations["pay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/payment/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a checkout of something paid once ended */
        get: operations["paid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/change/{subscription}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a change would do; the query is its form */
        get: operations["lookAtChange"];
        put?: never;
        /** Changes the price or the quantity: dearer now and paid, cheaper at the end of what is paid */
        post: operations["change"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/cancel/{subscription}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a cancellation would do */
        get: operations["lookAtCancel"];
        put?: never;
        /** Cancels */
        post: operations["cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/pause/{subscription}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a pause would do */
        get: operations["lookAtPause"];
        put?: never;
        /** Pauses from the end of what is paid, where the site allows it */
        post: operations["pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/discount/{subscription}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the discount would do */
        get: operations["lookAtDiscount"];
        put?: never;
        /** Takes the site’s discount on the next payment, once per person */
        post: operations["discount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/resume/{subscription}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What going on would do */
        get: operations["lookAtResume"];
        put?: never;
        /** Takes back a cancellation, ends a pause */
        post: operations["resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/invoice/{subscription}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a change would cost */
        post: operations["preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/renew/{subscription}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes it go on: takes back the cancellation, leads to the open invoice, or buys again */
        post: operations["renew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The provider’s own page for cards and invoices */
        post: operations["portal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/price/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The link in the notice of a new price: both prices, the day, and the buttons */
        get: operations["priceLink"];
        put?: never;
        /** Cancels the membership before the new price, or agrees to it */
        post: operations["answerPrice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a member has to buy again since the site changes its payment provider, and until when */
        get: operations["switchPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/group/{subscription}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The seats of a group, for its buyer and its managers */
        get: operations["group"];
        put?: never;
        /** Invites addresses to seats */
        post: operations["invite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/group/{subscription}/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends a seat, or withdraws its invitation */
        post: operations["removeSeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/group/{subscription}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a member of the group its manager */
        post: operations["transferGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/join/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The link of an invitation; nothing is taken */
        get: operations["invitation"];
        put?: never;
        /** Takes the seat, once */
        post: operations["join"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/group/{subscription}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives up one’s own seat */
        post: operations["leaveGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/gift/{plan}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The form of a gift: the prices that give a plan */
        get: operations["giftForm"];
        put?: never;
        /** Starts the purchase of a gift */
        post: operations["give"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/gifts/{gift}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A gift with its code, for its buyer */
        get: operations["boughtGift"];
        put?: never;
        /** Sends a gift by mail, now or again */
        post: operations["sendGift"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/redeem": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page on which a code is typed */
        get: operations["redeemForm"];
        put?: never;
        /** Redeems a gift by its code */
        post: operations["redeemTyped"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/redeem/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a code gives, and when it would begin; nothing is redeemed */
        get: operations["lookAtGift"];
        put?: never;
        /** Gives a gift to the member who is logged in, once */
        post: operations["redeem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/pay/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The link in the mail about a failed payment: what is owed, and a button */
        get: operations["payLink"];
        put?: never;
        /** The provider’s page on which it is paid; null where nothing is owed any more */
        post: operations["payOwed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/unsubscribe/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The link in the head of a mail that its member may do without: a page with a button */
        get: operations["unsubscribeLink"];
        put?: never;
        /** Switches such mails off, by one click of a mail program (RFC 8058) */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Asks for an address */
        get: operations["loginPage"];
        put?: never;
        /** Sends a login link; the answer is the same whether the address is somebody’s or not */
        post: operations["askForLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/login/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The link of the mail: a page with a button */
        get: operations["loginLink"];
        put?: never;
        /** Logs in, once */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends this session, or all of the member’s */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/pass": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A pass for other runtimes: a JWT that says who this is and what is open, for five minutes at most */
        get: operations["pass"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The public keys that check passes */
        get: operations["passKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a member has, what was paid, and what they can do about it; leads to the site’s own page */
        get: operations["accountPage"];
        put?: never;
        /** Changes fields of one’s own account, as the blueprint allows */
        post: operations["updateAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/account/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** “I paid but don’t have access”: asks the providers for what this member has, once a minute */
        post: operations["compareAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/language": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The language of pages for this browser, and of the account’s mails */
        post: operations["chooseLanguage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/account/email/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The link that confirms another address: a page with a button */
        get: operations["emailLink"];
        put?: never;
        /** Confirms another address */
        post: operations["confirmEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/account/email-undo/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The link in the mail to the old address: a page with a button */
        get: operations["emailUndoLink"];
        put?: never;
        /** Takes a change of address back and ends every session */
        post: operations["undoEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/payments/{payment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was paid, to print: no invoice */
        get: operations["receipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/invoices/{payment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The invoice of a payment whose provider lives in the site, to print */
        get: operations["invoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/account/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything that is kept about the member */
        get: operations["exportAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/account/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What ends with the account and what is not refunded: the page that asks again */
        get: operations["leaving"];
        put?: never;
        /** Cancels at the providers, then deletes */
        post: operations["deleteAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/account/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Another account is to become a part of this one: a link goes to one’s own address first */
        post: operations["askToMerge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/account/merge/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The link of either mail: a page that says what its button does */
        get: operations["mergeLink"];
        put?: never;
        /** Confirms for one address; the second makes one account of both */
        post: operations["confirmMerge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/account/merge-back/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The link in the mail to both addresses: a page with a button */
        get: operations["mergeBackLink"];
        put?: never;
        /** Makes two accounts of one again and ends every session of both */
        post: operations["takeMergeBack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is sold, as this visitor may buy it; leads to the site’s own page */
        get: operations["pricesPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The visitor as JSON for a site’s own components: what is open, what is sold, and what they have */
        get: operations["visitor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/files/{token}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A private file by a link of minutes; ranges are served */
        get: operations["file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/feeds/{token}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A feed as one member may read it, at their own address */
        get: operations["feed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/audit/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Proves to the leak audit that this site has the secret that signed its question */
        get: operations["auditProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How it stands between the site and its providers, for monitors */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/webhooks/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A provider’s signed message */
        post: operations["receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/assets/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Style sheets and pictures */
        get: operations["asset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/errors/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What an error’s code means, and what to do */
        get: operations["errorText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/membership/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["describe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List own websites */
        get: operations["listWebsites"];
        put?: never;
        /** Add a website: links it to you, checks for the system, fetches metadata */
        post: operations["addWebsite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add many websites: one address a line, 1 000 at most */
        post: operations["importWebsites"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the outcomes of an import */
        get: operations["readImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/relink-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your relink requests, and those that concern your websites */
        get: operations["listRelinkRequests"];
        put?: never;
        /** Ask for a website that is in the index already: says what to publish as proof */
        post: operations["requestRelink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/relink-requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a relink request */
        get: operations["readRelinkRequest"];
        put?: never;
        post?: never;
        /** Withdraw a relink request */
        delete: operations["withdrawRelinkRequest"];
        options?: never;
        head?: never;
        /** Have the proof looked for now */
        patch: operations["checkRelinkRequest"];
        trace?: never;
    };
    "/reports/relink-requests/{id}/objection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Object to a request for one of your websites; the operator decides then */
        post: operations["objectToRelinkRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what happened to your websites: a feed, oldest first */
        get: operations["listNotices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one website */
        get: operations["readWebsite"];
        put?: never;
        /** Upload a preview: a JPG smaller than 200 kb replaces the screenshot */
        post: operations["uploadPreview"];
        /** Delete a website */
        delete: operations["deleteWebsite"];
        options?: never;
        head?: never;
        /** Refresh metadata */
        patch: operations["refreshWebsite"];
        trace?: never;
    };
}
export interface webhooks {
    "subscription.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** subscription.started, for receivers of membership.notify */
        post: operations["on.subscription.started"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** subscription.changed, for receivers of membership.notify */
        post: operations["on.subscription.changed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** subscription.paused, for receivers of membership.notify */
        post: operations["on.subscription.paused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.renewed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** subscription.renewed, for receivers of membership.notify */
        post: operations["on.subscription.renewed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** subscription.canceled, for receivers of membership.notify */
        post: operations["on.subscription.canceled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "trial.ending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** trial.ending, for receivers of membership.notify */
        post: operations["on.trial.ending"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "renewal.upcoming": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** renewal.upcoming, for receivers of membership.notify */
        post: operations["on.renewal.upcoming"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.received": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** payment.received, for receivers of membership.notify */
        post: operations["on.payment.received"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** payment.failed, for receivers of membership.notify */
        post: operations["on.payment.failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** payment.refunded, for receivers of membership.notify */
        post: operations["on.payment.refunded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** member.created, for receivers of membership.notify */
        post: operations["on.member.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.signed_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** member.signed_up, for receivers of membership.notify */
        post: operations["on.member.signed_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** member.deleted, for receivers of membership.notify */
        post: operations["on.member.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "access.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** access.changed, for receivers of membership.notify */
        post: operations["on.access.changed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "limit.near": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** limit.near, for receivers of membership.notify */
        post: operations["on.limit.near"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "limit.reached": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** limit.reached, for receivers of membership.notify */
        post: operations["on.limit.reached"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description The screenshot of a website. */
        Preview: {
            /** @description The address of the JPEG. It needs no key. */
            url: string;
            width: number;
            height: number;
            bytes: number;
            /** @description Uploaded by the partner, as opposed to made by the index. */
            custom: boolean;
        };
        /** @description The content management system that was looked for. */
        System: {
            name: string;
            detected: boolean;
            /** @description The version, if the website shows it. */
            version: string | null;
            /** @description Points of 100. */
            confidence: number;
            /**
             * @description `probable` where the website says so itself, or one strong sign is there, and nothing else.
             * @enum {string}
             */
            certainty?: "certain" | "probable" | "none";
        };
        /** @description One sign of the system. */
        Evidence: {
            /** @description The place of the sign: header, cookie, meta, script, link, asset or dom. */
            channel: string;
            rule: string;
            matched: string;
            weight: number;
        };
        /** @description One visit to the website. */
        Check: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            outcome: "listed" | "rejected" | "unreachable";
            reason: string | null;
            http_status: number | null;
            milliseconds: number | null;
            bytes: number | null;
            changed: boolean;
        };
        /** @description The details that expand=1 adds: signs of the system, facts of the last visit, and the visits before it. */
        Details: {
            evidence: components["schemas"]["Evidence"][];
            /** @description The places that were searched for signs. */
            channels: string[];
            /** @description The signs in one line: "60 of 100: asset path; no generator". */
            summary: string | null;
            /** @description The system of the page instead, if it is known. */
            other_system?: {
                name: string;
                version: string | null;
                /**
                 * @description `probable` where the website says so itself, or one strong sign is there, and nothing else.
                 * @enum {string}
                 */
                certainty?: "certain" | "probable" | "none";
            } | null;
            icons: string[];
            /** @description The picture for social networks. */
            image_url: string | null;
            http: {
                status: number;
                hops: string[];
                bytes: number;
                milliseconds: number;
            } | null;
            /** @description The size at which the page was cut. Signs beyond it are not seen. */
            cut?: {
                /**
                 * @description 1 MB, 50 000 tags, or 512 levels.
                 * @enum {string}
                 */
                at: "size" | "tags" | "depth";
                /** @description The end of a head that was cut was read after all. */
                head_tail_read: boolean;
            } | null;
            /** @description Newest first, ten at most. */
            checks: components["schemas"]["Check"][];
        };
        /** @description One listed website. */
        Report: {
            id: string;
            /** @description As it was added. */
            url: string;
            /** @description Where it led to. */
            final_url: string | null;
            host: string;
            title: string | null;
            description: string | null;
            /** @description A BCP 47 tag. */
            language: string | null;
            favicon_url: string | null;
            preview: components["schemas"]["Preview"] | null;
            system: components["schemas"]["System"];
            /** @enum {string} */
            status: "pending" | "listed" | "rejected" | "unreachable" | "gone" | "archived";
            /** @description Why it is not listed: dns, refused, connect-timeout, tls-expired, tls-name, tls-untrusted, headers-timeout, body-timeout, too-large, bad-encoding, bad-headers, too-many-redirects, redirect-not-allowed, http-3xx, http-4xx, http-5xx, not-html, robots-disallowed, rate-limited, system-not-detected, or what the operator wrote. */
            status_reason: string | null;
            /**
             * @description The source of the website: crawler, partner or operator.
             * @enum {string}
             */
            source: "crawler" | "partner" | "operator";
            /** Format: date-time */
            first_seen_at: string;
            checked_at: string | null;
            next_check_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description With expand=1. */
            details?: components["schemas"]["Details"];
        };
        /** @description Which state an answer shows. Caches are flushed at every full hour; your own changes show at once. */
        Meta: {
            /**
             * Format: date-time
             * @description Nothing that happened later is in it.
             */
            generated_at: string;
            /**
             * Format: date-time
             * @description The next full hour, UTC.
             */
            valid_until: string;
        };
        /** @description One website. */
        ReportAnswer: {
            data: components["schemas"]["Report"];
            meta: components["schemas"]["Meta"];
        };
        /** @description A page of your websites, newest first. */
        ReportList: {
            data: components["schemas"]["Report"][];
            meta: {
                /**
                 * Format: date-time
                 * @description Nothing that happened later is in it.
                 */
                generated_at: string;
                /**
                 * Format: date-time
                 * @description The next full hour, UTC.
                 */
                valid_until: string;
                /** @description On this page. */
                count: number;
            };
            links: {
                self: string;
                /** @description The next page; null on the last one. */
                next: string | null;
            };
        };
        /** @description A list of websites that is worked off, one outcome for each line. */
        Import: {
            data: {
                id: string;
                /** @enum {string} */
                status: "running" | "done";
                /** Format: date-time */
                created_at: string;
                total: number;
                done: number;
                lines: {
                    line: number;
                    text: string;
                    url: string | null;
                    /** @description null while it waits. */
                    outcome: ("added" | "existing" | "taken" | "excluded" | "rejected" | "unreachable" | "refused" | "invalid" | "duplicate") | null;
                    detail: string | null;
                    report_id: string | null;
                }[];
            };
        };
        /** @description Changes of your websites, oldest first. Keep following links.next: an empty page means that nothing is new. */
        Notices: {
            data: {
                id: string;
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                kind: "down" | "back" | "gone" | "archived" | "moved" | "relink-requested" | "relink-objected" | "relink-declined" | "relinked" | "unlinked";
                report_id: string;
                url: string;
                /** @description `reason` of a failure, `system` that it moved to, `request` and `object_until` of a relink request. */
                details: {
                    [key: string]: string | null;
                };
            }[];
            meta: {
                /** @description On this page. */
                count: number;
                /**
                 * Format: date-time
                 * @description Nothing that happened later is in it.
                 */
                generated_at: string;
            };
            links: {
                self: string;
                next: string;
            };
        };
        /** @description A wish for a website that is in the index already, with what proves it. */
        RelinkRequest: {
            data: {
                id: string;
                url: string;
                /**
                 * @description You asked for the website, or you have it.
                 * @enum {string}
                 */
                role: "claimant" | "holder";
                /** @enum {string} */
                status: "unproven" | "proven" | "objected" | "linked" | "declined" | "withdrawn" | "expired" | "lapsed" | "void" | "undone";
                /** @description Why it was objected to, declined or closed. */
                reason: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description The last time that the proof was there. */
                proven_at: string | null;
                /** @description Until then the partner who has the website can object. */
                object_until: string | null;
                /** @description The id of the website, for the partner that it is linked to. */
                report_id: string | null;
                /** @description Publish one of the two and leave it there; null for the partner who has the website. */
                proofs: {
                    dns: {
                        name: string;
                        /** @constant */
                        type: "TXT";
                        value: string;
                    };
                    file: {
                        url: string;
                        content: string;
                    };
                } | null;
                last_check: {
                    /** Format: date-time */
                    at: string;
                    /** @enum {string} */
                    dns: "found" | "not-found" | "failed";
                    /** @enum {string} */
                    file: "found" | "not-found";
                } | null;
            };
        };
        /** @description Your relink requests, and those that concern your websites; newest first. */
        RelinkRequests: {
            data: {
                id: string;
                url: string;
                /**
                 * @description You asked for the website, or you have it.
                 * @enum {string}
                 */
                role: "claimant" | "holder";
                /** @enum {string} */
                status: "unproven" | "proven" | "objected" | "linked" | "declined" | "withdrawn" | "expired" | "lapsed" | "void" | "undone";
                /** @description Why it was objected to, declined or closed. */
                reason: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description The last time that the proof was there. */
                proven_at: string | null;
                /** @description Until then the partner who has the website can object. */
                object_until: string | null;
                /** @description The id of the website, for the partner that it is linked to. */
                report_id: string | null;
                /** @description Publish one of the two and leave it there; null for the partner who has the website. */
                proofs: {
                    dns: {
                        name: string;
                        /** @constant */
                        type: "TXT";
                        value: string;
                    };
                    file: {
                        url: string;
                        content: string;
                    };
                } | null;
                last_check: {
                    /** Format: date-time */
                    at: string;
                    /** @enum {string} */
                    dns: "found" | "not-found" | "failed";
                    /** @enum {string} */
                    file: "found" | "not-found";
                } | null;
            }[];
        };
        /** @description An error, after RFC 9457. */
        Problem: {
            /** @description An address that explains the code. */
            type: string;
            title: string;
            status: number;
            /**
             * @description Stable; programs look at this.
             * @enum {string}
             */
            code: "ERR_ACTION_REFUSED" | "ERR_API_KEY" | "ERR_BODY_CONSUMED" | "ERR_BODY_SLOW" | "ERR_BODY_TOO_LARGE" | "ERR_BODY_UNREADABLE" | "ERR_BUSY" | "ERR_CHECKOUT_REFUSED" | "ERR_COMPARE_REFUSED" | "ERR_CONFIG" | "ERR_CSRF" | "ERR_EMAIL_TAKEN" | "ERR_FORM" | "ERR_GATED" | "ERR_GATE_UNKNOWN" | "ERR_IDEMPOTENCY_IN_FLIGHT" | "ERR_IDEMPOTENCY_REUSED" | "ERR_IMAGE" | "ERR_INSTALLED" | "ERR_INTENT_UNKNOWN" | "ERR_LENGTH_REQUIRED" | "ERR_LIMIT" | "ERR_LINK" | "ERR_LOGIN_REQUIRED" | "ERR_METHOD" | "ERR_NOT_FOUND" | "ERR_NOT_INSTALLED" | "ERR_NOT_JPEG" | "ERR_NO_MAIL" | "ERR_NO_VIEW" | "ERR_OFFICE" | "ERR_OFFICE_CODE" | "ERR_PARAMETER" | "ERR_PAYMENT_DECLINED" | "ERR_PLAN_UNKNOWN" | "ERR_PORT_TAKEN" | "ERR_PRECONDITION" | "ERR_PROVIDER_ANSWER" | "ERR_PROVIDER_UNKNOWN" | "ERR_PROVIDER_UNSUPPORTED" | "ERR_RATE_LIMIT" | "ERR_REDIRECT" | "ERR_REFUSED" | "ERR_REPORT_EXISTS" | "ERR_SCOPE" | "ERR_SHOWN_CHANGED" | "ERR_SITE_EXCLUDED" | "ERR_SITE_UNREACHABLE" | "ERR_STORAGE" | "ERR_SYSTEM_NOT_DETECTED" | "ERR_UNDELIVERABLE" | "ERR_UNEXPECTED" | "ERR_UNVERIFIED" | "ERR_UPLOAD" | "ERR_URL_NOT_ALLOWED" | "ERR_USAGE" | "ERR_WEBHOOK_SIGNATURE" | "ERR_WEBHOOK_UNVERIFIED";
            /** @description What happened. */
            detail: string;
            /** @description The next step, ready to copy. */
            action?: string;
            /** @description The id of the report. It stays readable for 30 days. */
            id?: string;
            /** @description Why an action is refused, or why a website could not be read. */
            reason?: string;
            /** @description What the website answered. */
            http_status?: number;
            /** @description Points of 100 for the system. */
            score?: number;
            /** @description The system of the website instead, if it is known. */
            other_system?: string;
            /**
             * @description `probable` where the website says so itself, or one strong sign is there, and nothing else.
             * @enum {string}
             */
            certainty?: "certain" | "probable" | "none";
            /** @description The places that were searched for signs of the system. */
            channels?: string[];
            /** @description The signs that were found. */
            evidence?: components["schemas"]["Evidence"][];
        } & {
            [key: string]: unknown;
        };
        Subscription: {
            id: string;
            provider: string;
            account: string;
            customer_id: string | null;
            price_id: string | null;
            product_id: string | null;
            quantity: number | null;
            items: {
                id: string | null;
                price_id: string | null;
                product_id: string | null;
                quantity: number | null;
                current_period_start: string | null;
                current_period_end: string | null;
            }[];
            /** @enum {string} */
            status: "incomplete" | "trialing" | "active" | "past_due" | "unpaid" | "paused" | "canceled" | "expired";
            provider_status: string | null;
            currency: string | null;
            unit_amount: number | null;
            interval: ("day" | "week" | "month" | "year") | null;
            interval_count: number | null;
            started_at: string | null;
            trial_ends_at: string | null;
            current_period_start: string | null;
            current_period_end: string | null;
            cancel_at_period_end: boolean;
            cancel_at: string | null;
            canceled_at: string | null;
            ended_at: string | null;
            paused_at: string | null;
            resumes_at: string | null;
            scheduled_change?: {
                price_id: string | null;
                quantity: number | null;
                unit_amount?: number;
                /** Format: date-time */
                at: string;
            } | null;
            /** @default null */
            past_due_since: string | null;
            opens_at?: string | null;
            /** @enum {string} */
            ended_for?: "request" | "unpaid" | "dispute" | "term";
            livemode: boolean;
            metadata: {
                [key: string]: string;
            };
            /** Format: date-time */
            updated_at: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    orderPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        price: {
                            id: string;
                            plan: string;
                            provider: string;
                            /** @enum {string} */
                            type: "recurring" | "one_time";
                            currency: string | null;
                            amount: number | null;
                            interval: ("day" | "week" | "month" | "year") | null;
                            interval_count: number | null;
                            trial_days: number | null;
                            trial_amount: number | null;
                            label: string | null;
                            lookup_key: string | null;
                            retired: boolean;
                            gives?: {
                                plan: string;
                                months: number;
                            };
                            adds?: {
                                [key: string]: {
                                    amount: number;
                                    days?: number;
                                };
                            };
                            was?: number;
                            /** Format: date-time */
                            until?: string;
                            replaces?: string[];
                            stands_for?: string;
                            choose?: {
                                min: number;
                                suggested: number[];
                                max: number;
                            };
                        };
                        plan: string;
                        trial_days: number | null;
                        quantity: number;
                        starts_at: string | null;
                        /** @description Sent with the purchase, it confirms this. */
                        shown: string;
                        consent: {
                            /** @enum {string} */
                            supply: "service" | "content";
                            /** @description Sent as `consent`, it says that the buyer agreed. */
                            version: string;
                            text: string;
                        } | null;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    subscribed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "open" | "declined" | "processing" | "paid" | "failed" | "expired";
                        redirect: string;
                        /** @description The page to try a declined payment again. */
                        url?: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    subscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    price?: string;
                    quantity?: string;
                    /** @description Such as EUR. */
                    currency?: string;
                    /** @description A promotion code. */
                    code?: string;
                    /** @description The provider, if the site lets forms choose. */
                    provider?: string;
                    /** @description The consent that the order page asked for. `none` if it asked for nothing. */
                    consent?: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                    /**
                     * @description Changes a subscription that lives instead.
                     * @constant
                     */
                    swap?: "1";
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    price?: string;
                    quantity?: string;
                    /** @description Such as EUR. */
                    currency?: string;
                    /** @description A promotion code. */
                    code?: string;
                    /** @description The provider, if the site lets forms choose. */
                    provider?: string;
                    /** @description The consent that the order page asked for. `none` if it asked for nothing. */
                    consent?: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                    /**
                     * @description Changes a subscription that lives instead.
                     * @constant
                     */
                    swap?: "1";
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    } | {
                        /** @description The next page, at the provider or the bank. */
                        url: string;
                    };
                };
            };
            /** @description ActionResult. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Where the buyer pays. */
                        url: string;
                        intent_id: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pay: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description A price id. */
                    product: string;
                    quantity?: string;
                    /** @description Such as EUR. */
                    currency?: string;
                    /** @description A promotion code. */
                    code?: string;
                    /** @description The provider, if the site lets forms choose. */
                    provider?: string;
                    /** @description The consent that the order page asked for. `none` if it asked for nothing. */
                    consent?: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description A price id. */
                    product: string;
                    quantity?: string;
                    /** @description Such as EUR. */
                    currency?: string;
                    /** @description A promotion code. */
                    code?: string;
                    /** @description The provider, if the site lets forms choose. */
                    provider?: string;
                    /** @description The consent that the order page asked for. `none` if it asked for nothing. */
                    consent?: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Where the buyer pays. */
                        url: string;
                        intent_id: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    paid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "open" | "declined" | "processing" | "paid" | "failed" | "expired";
                        redirect: string;
                        /** @description The page to try a declined payment again. */
                        url?: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    lookAtChange: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prospect: {
                            /** @enum {string} */
                            action: "change" | "keep" | "cancel" | "pause" | "resume" | "discount";
                            provider: string;
                            subscription_id: string;
                            from: {
                                price_id: string | null;
                                quantity: number;
                                cost: {
                                    amount: number;
                                    currency: string;
                                    /** @enum {string} */
                                    interval: "day" | "week" | "month" | "year";
                                    interval_count: number;
                                } | null;
                            };
                            paid_until: string | null;
                            to: {
                                price_id: string | null;
                                quantity: number;
                                cost: {
                                    amount: number;
                                    currency: string;
                                    /** @enum {string} */
                                    interval: "day" | "week" | "month" | "year";
                                    interval_count: number;
                                } | null;
                            } | null;
                            at: string | null;
                            currency: string | null;
                            amount_due: number | null;
                            credit: number;
                            lines: ({
                                text: string;
                                amount: number;
                            } & {
                                [key: string]: unknown;
                            })[];
                            next_payment: {
                                at: string | null;
                                amount: number | null;
                            } | null;
                            is_owed: boolean;
                            access_until: string | null;
                            resumes_at: string | null;
                            proration_at: string | null;
                            percent_off?: number;
                        };
                        /** @description Sent with the action, it confirms this. */
                        shown: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    plan?: string;
                    price?: string;
                    quantity?: string;
                    /**
                     * @description Only if the site lets forms choose.
                     * @enum {string}
                     */
                    proration?: "now" | "next" | "none";
                    /**
                     * Format: date-time
                     * @description The moment that a preview gave.
                     */
                    proration_at?: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    plan?: string;
                    price?: string;
                    quantity?: string;
                    /**
                     * @description Only if the site lets forms choose.
                     * @enum {string}
                     */
                    proration?: "now" | "next" | "none";
                    /**
                     * Format: date-time
                     * @description The moment that a preview gave.
                     */
                    proration_at?: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    } | {
                        /** @description The next page, at the provider or the bank. */
                        url: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    lookAtCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prospect: {
                            /** @enum {string} */
                            action: "change" | "keep" | "cancel" | "pause" | "resume" | "discount";
                            provider: string;
                            subscription_id: string;
                            from: {
                                price_id: string | null;
                                quantity: number;
                                cost: {
                                    amount: number;
                                    currency: string;
                                    /** @enum {string} */
                                    interval: "day" | "week" | "month" | "year";
                                    interval_count: number;
                                } | null;
                            };
                            paid_until: string | null;
                            to: {
                                price_id: string | null;
                                quantity: number;
                                cost: {
                                    amount: number;
                                    currency: string;
                                    /** @enum {string} */
                                    interval: "day" | "week" | "month" | "year";
                                    interval_count: number;
                                } | null;
                            } | null;
                            at: string | null;
                            currency: string | null;
                            amount_due: number | null;
                            credit: number;
                            lines: ({
                                text: string;
                                amount: number;
                            } & {
                                [key: string]: unknown;
                            })[];
                            next_payment: {
                                at: string | null;
                                amount: number | null;
                            } | null;
                            is_owed: boolean;
                            access_until: string | null;
                            resumes_at: string | null;
                            proration_at: string | null;
                            percent_off?: number;
                        };
                        /** @description Sent with the action, it confirms this. */
                        shown: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @enum {string} */
                    when?: "period_end" | "now";
                    /** @enum {string} */
                    reason?: "price" | "use" | "missing" | "broken" | "other";
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @enum {string} */
                    when?: "period_end" | "now";
                    /** @enum {string} */
                    reason?: "price" | "use" | "missing" | "broken" | "other";
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    } | {
                        /** @description The next page, at the provider or the bank. */
                        url: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    lookAtPause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prospect: {
                            /** @enum {string} */
                            action: "change" | "keep" | "cancel" | "pause" | "resume" | "discount";
                            provider: string;
                            subscription_id: string;
                            from: {
                                price_id: string | null;
                                quantity: number;
                                cost: {
                                    amount: number;
                                    currency: string;
                                    /** @enum {string} */
                                    interval: "day" | "week" | "month" | "year";
                                    interval_count: number;
                                } | null;
                            };
                            paid_until: string | null;
                            to: {
                                price_id: string | null;
                                quantity: number;
                                cost: {
                                    amount: number;
                                    currency: string;
                                    /** @enum {string} */
                                    interval: "day" | "week" | "month" | "year";
                                    interval_count: number;
                                } | null;
                            } | null;
                            at: string | null;
                            currency: string | null;
                            amount_due: number | null;
                            credit: number;
                            lines: ({
                                text: string;
                                amount: number;
                            } & {
                                [key: string]: unknown;
                            })[];
                            next_payment: {
                                at: string | null;
                                amount: number | null;
                            } | null;
                            is_owed: boolean;
                            access_until: string | null;
                            resumes_at: string | null;
                            proration_at: string | null;
                            percent_off?: number;
                        };
                        /** @description Sent with the action, it confirms this. */
                        shown: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description A day such as 2027-01-31. */
                    until?: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description A day such as 2027-01-31. */
                    until?: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    } | {
                        /** @description The next page, at the provider or the bank. */
                        url: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    lookAtDiscount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prospect: {
                            /** @enum {string} */
                            action: "change" | "keep" | "cancel" | "pause" | "resume" | "discount";
                            provider: string;
                            subscription_id: string;
                            from: {
                                price_id: string | null;
                                quantity: number;
                                cost: {
                                    amount: number;
                                    currency: string;
                                    /** @enum {string} */
                                    interval: "day" | "week" | "month" | "year";
                                    interval_count: number;
                                } | null;
                            };
                            paid_until: string | null;
                            to: {
                                price_id: string | null;
                                quantity: number;
                                cost: {
                                    amount: number;
                                    currency: string;
                                    /** @enum {string} */
                                    interval: "day" | "week" | "month" | "year";
                                    interval_count: number;
                                } | null;
                            } | null;
                            at: string | null;
                            currency: string | null;
                            amount_due: number | null;
                            credit: number;
                            lines: ({
                                text: string;
                                amount: number;
                            } & {
                                [key: string]: unknown;
                            })[];
                            next_payment: {
                                at: string | null;
                                amount: number | null;
                            } | null;
                            is_owed: boolean;
                            access_until: string | null;
                            resumes_at: string | null;
                            proration_at: string | null;
                            percent_off?: number;
                        };
                        /** @description Sent with the action, it confirms this. */
                        shown: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    discount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    } | {
                        /** @description The next page, at the provider or the bank. */
                        url: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    lookAtResume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prospect: {
                            /** @enum {string} */
                            action: "change" | "keep" | "cancel" | "pause" | "resume" | "discount";
                            provider: string;
                            subscription_id: string;
                            from: {
                                price_id: string | null;
                                quantity: number;
                                cost: {
                                    amount: number;
                                    currency: string;
                                    /** @enum {string} */
                                    interval: "day" | "week" | "month" | "year";
                                    interval_count: number;
                                } | null;
                            };
                            paid_until: string | null;
                            to: {
                                price_id: string | null;
                                quantity: number;
                                cost: {
                                    amount: number;
                                    currency: string;
                                    /** @enum {string} */
                                    interval: "day" | "week" | "month" | "year";
                                    interval_count: number;
                                } | null;
                            } | null;
                            at: string | null;
                            currency: string | null;
                            amount_due: number | null;
                            credit: number;
                            lines: ({
                                text: string;
                                amount: number;
                            } & {
                                [key: string]: unknown;
                            })[];
                            next_payment: {
                                at: string | null;
                                amount: number | null;
                            } | null;
                            is_owed: boolean;
                            access_until: string | null;
                            resumes_at: string | null;
                            proration_at: string | null;
                            percent_off?: number;
                        };
                        /** @description Sent with the action, it confirms this. */
                        shown: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    } | {
                        /** @description The next page, at the provider or the bank. */
                        url: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    plan?: string;
                    price?: string;
                    quantity?: string;
                    /**
                     * @description Only if the site lets forms choose.
                     * @enum {string}
                     */
                    proration?: "now" | "next" | "none";
                    /**
                     * Format: date-time
                     * @description The moment that a preview gave.
                     */
                    proration_at?: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    plan?: string;
                    price?: string;
                    quantity?: string;
                    /**
                     * @description Only if the site lets forms choose.
                     * @enum {string}
                     */
                    proration?: "now" | "next" | "none";
                    /**
                     * Format: date-time
                     * @description The moment that a preview gave.
                     */
                    proration_at?: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        provider: string;
                        subscription_id: string;
                        currency: string;
                        amount_due: number;
                        total: number;
                        lines: {
                            text: string;
                            amount: number;
                            price_id: string | null;
                        }[];
                        next_payment_at: string | null;
                        /** @default null */
                        changes_at: string | null;
                        /** Format: date-time */
                        proration_at: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    renew: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description The token of what the buyer saw. If the outcome would differ now, nothing is done. */
                    shown?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    } | {
                        /** @description The next page, at the provider or the bank. */
                        url: string;
                    };
                };
            };
            /** @description ActionResult. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Where the buyer pays. */
                        url: string;
                        intent_id: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    portal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    provider?: string;
                    subscription?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    provider?: string;
                    subscription?: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The next page, at the provider or the bank. */
                        url: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    priceLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answerPrice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @enum {string} */
                    does: "cancel" | "agree";
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @enum {string} */
                    does: "cancel" | "agree";
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        done: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    switchPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        memberships: {
                            subscription_id: string;
                            provider: string;
                            plan: string;
                            price: string | null;
                            until: string;
                            sold_now: boolean;
                            bought: boolean;
                        }[];
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    group: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription_id: string;
                        provider: string;
                        plan: string | null;
                        owner_id: string | null;
                        seats: number;
                        free: number;
                        shrinks_at: string | null;
                        members: {
                            id: string;
                            email: string | null;
                            member_id: string | null;
                            /** @enum {string} */
                            role: "member" | "manager";
                            /** @enum {string} */
                            status: "invited" | "joined" | "ended";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            joined_at: string | null;
                            ended_for: string | null;
                        }[];
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    invite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    email?: string;
                    /** @description Several, as lines or as CSV. */
                    emails?: string;
                    /** @enum {string} */
                    role?: "member" | "manager";
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    email?: string;
                    /** @description Several, as lines or as CSV. */
                    emails?: string;
                    /** @enum {string} */
                    role?: "member" | "manager";
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription_id: string;
                        provider: string;
                        plan: string | null;
                        owner_id: string | null;
                        seats: number;
                        free: number;
                        shrinks_at: string | null;
                        members: {
                            id: string;
                            email: string | null;
                            member_id: string | null;
                            /** @enum {string} */
                            role: "member" | "manager";
                            /** @enum {string} */
                            status: "invited" | "joined" | "ended";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            joined_at: string | null;
                            ended_for: string | null;
                        }[];
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeSeat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    seat: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    seat: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription_id: string;
                        provider: string;
                        plan: string | null;
                        owner_id: string | null;
                        seats: number;
                        free: number;
                        shrinks_at: string | null;
                        members: {
                            id: string;
                            email: string | null;
                            member_id: string | null;
                            /** @enum {string} */
                            role: "member" | "manager";
                            /** @enum {string} */
                            status: "invited" | "joined" | "ended";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            joined_at: string | null;
                            ended_for: string | null;
                        }[];
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    transferGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    member: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    member: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscription_id: string;
                        provider: string;
                        plan: string | null;
                        owner_id: string | null;
                        seats: number;
                        free: number;
                        shrinks_at: string | null;
                        members: {
                            id: string;
                            email: string | null;
                            member_id: string | null;
                            /** @enum {string} */
                            role: "member" | "manager";
                            /** @enum {string} */
                            status: "invited" | "joined" | "ended";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            joined_at: string | null;
                            ended_for: string | null;
                        }[];
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    invitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        plan: string | null;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    join: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        plan: string | null;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    leaveGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    giftForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        plan: string;
                        prices: {
                            id: string;
                            months: number;
                            amount: string | null;
                        }[];
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    give: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description A price id; left out where the plan is given by one price. */
                    price?: string;
                    /** @description The address that the gift is sent to; left out, its buyer hands the code over. */
                    to?: string;
                    /** @description The day of its mail, such as 2026-12-24. */
                    on?: string;
                    message?: string;
                    provider?: string;
                    currency?: string;
                    code?: string;
                    shown?: string;
                    consent?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description A price id; left out where the plan is given by one price. */
                    price?: string;
                    /** @description The address that the gift is sent to; left out, its buyer hands the code over. */
                    to?: string;
                    /** @description The day of its mail, such as 2026-12-24. */
                    on?: string;
                    message?: string;
                    provider?: string;
                    currency?: string;
                    code?: string;
                    shown?: string;
                    consent?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Where the buyer pays. */
                        url: string;
                        intent_id: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    boughtGift: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                gift: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        status: "ordered" | "ready" | "redeemed" | "closed";
                        plan: string;
                        months: number;
                        to: string | null;
                        message: string | null;
                        batch: string | null;
                        label: string | null;
                        send_at: string | null;
                        sent_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        expires_at: string | null;
                        redeemed_at: string | null;
                        member_id: string | null;
                        starts_at: string | null;
                        ends_at: string | null;
                        closed_for: string | null;
                        put_off: {
                            /** Format: date-time */
                            from: string;
                            /** Format: date-time */
                            until: string;
                        } | null;
                        code: string | null;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendGift: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                gift: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    to?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    to?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        status: "ordered" | "ready" | "redeemed" | "closed";
                        plan: string;
                        months: number;
                        to: string | null;
                        message: string | null;
                        batch: string | null;
                        label: string | null;
                        send_at: string | null;
                        sent_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        expires_at: string | null;
                        redeemed_at: string | null;
                        member_id: string | null;
                        starts_at: string | null;
                        ends_at: string | null;
                        closed_for: string | null;
                        put_off: {
                            /** Format: date-time */
                            from: string;
                            /** Format: date-time */
                            until: string;
                        } | null;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    redeemForm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        url: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    redeemTyped: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    code: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    code: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        status: "ordered" | "ready" | "redeemed" | "closed";
                        plan: string;
                        months: number;
                        to: string | null;
                        message: string | null;
                        batch: string | null;
                        label: string | null;
                        send_at: string | null;
                        sent_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        expires_at: string | null;
                        redeemed_at: string | null;
                        member_id: string | null;
                        starts_at: string | null;
                        ends_at: string | null;
                        closed_for: string | null;
                        put_off: {
                            /** Format: date-time */
                            from: string;
                            /** Format: date-time */
                            until: string;
                        } | null;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    lookAtGift: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        plan: string;
                        months: number;
                        expires_at: string | null;
                        begins: {
                            /** @enum {string} */
                            kind: "now" | "put_off" | "after";
                            /** Format: date-time */
                            from?: string;
                            /** Format: date-time */
                            until?: string;
                        } | null;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    redeem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        status: "ordered" | "ready" | "redeemed" | "closed";
                        plan: string;
                        months: number;
                        to: string | null;
                        message: string | null;
                        batch: string | null;
                        label: string | null;
                        send_at: string | null;
                        sent_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        expires_at: string | null;
                        redeemed_at: string | null;
                        member_id: string | null;
                        starts_at: string | null;
                        ends_at: string | null;
                        closed_for: string | null;
                        put_off: {
                            /** Format: date-time */
                            from: string;
                            /** Format: date-time */
                            until: string;
                        } | null;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    payLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    payOwed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        url: string | null;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unsubscribeLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    loginPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    askForLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    email: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    email: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    loginLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        member_id: string;
                        redirect: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @constant */
                    everywhere?: "1";
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @constant */
                    everywhere?: "1";
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pass: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        pass: string;
                        expires_at: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    passKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            kty: string;
                            crv: string;
                            x: string;
                            kid: string;
                            alg: string;
                            use: string;
                        }[];
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    accountPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page, or a file. */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                } & {
                    [key: string]: unknown;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: string[];
                        email_change: {
                            to: string;
                            status: string;
                        } | null;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compareAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    chooseLanguage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    language: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    language: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        language: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    emailLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    confirmEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    emailUndoLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undoEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    receipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                payment: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        payment: {
                            id: string;
                            title: string;
                            amount: string;
                            refunded: string | null;
                            day: string;
                        };
                        invoice_url: string | null;
                        seller: {
                            name: string;
                            address: string[];
                        };
                        contact: string | null;
                        tax: ("included" | "excluded" | "none") | null;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    invoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                payment: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        number: string;
                        day: string;
                        buyer: {
                            name: string | null;
                            email: string | null;
                        };
                        lines: {
                            text: string;
                            period: string | null;
                            amount: string;
                        }[];
                        credit: string | null;
                        total: string;
                        refunded: string | null;
                        seller: {
                            name: string;
                            address: string[];
                        };
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        format: "membership-account";
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    leaving: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email: string | null;
                        memberships: {
                            title: string;
                            paid_until: string | null;
                        }[];
                        purchases: {
                            title: string;
                            paid_until: string | null;
                        }[];
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @constant */
                    confirm: "delete";
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    /** @constant */
                    confirm: "delete";
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        waits_for: string | null;
                    };
                };
            };
            /** @description ActionResult. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        waits_for: string | null;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    askToMerge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                    email: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                    email: string;
                    /** @description A path on this site: where a browser goes on. */
                    redirect?: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mergeLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    confirmMerge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mergeBackLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    takeMergeBack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
                "application/json": {
                    /** @description From the page that holds the form. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email: string;
                        other_email: string;
                    };
                };
            };
            /** @description Browsers go on. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pricesPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page, or a file. */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    visitor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            app_user_id: string | null;
                        } | null;
                        /** @enum {string} */
                        authentication: "none" | "unverified" | "verified";
                        gates: string[];
                        features: string[];
                        plans: {
                            id: string;
                            name: string;
                            description: string | null;
                            recommended: boolean;
                            lines: string[];
                            features: string[];
                            prices: {
                                id: string;
                                label: string;
                                amount: string;
                                was: string | null;
                                per: string;
                                notes: string[];
                                owned: boolean;
                                action: {
                                    url: string;
                                    label: string;
                                } | null;
                            }[];
                        }[];
                        cards: {
                            id: string;
                            title: string;
                            price: string | null;
                            sentence: string;
                            url: string | null;
                            /** @enum {string} */
                            state: "good" | "due" | "waits" | "over";
                            actions: {
                                /** @enum {string} */
                                method: "get" | "post";
                                url: string;
                                fields: {
                                    [key: string]: string;
                                };
                                label: string;
                            }[];
                        }[];
                        language: string;
                        words: {
                            login: string;
                            account: string;
                            prices: string;
                            yours: string;
                        };
                        pages: {
                            account: string;
                            prices: string;
                            login: string;
                        };
                        token: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page, or a file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page, or a file. */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    feed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    auditProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        proof: string;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok" | "trouble";
                        /** Format: date-time */
                        at: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    receive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "processed" | "duplicate" | "ignored" | "held" | "queued";
                    };
                };
            };
            /** @description ActionResult. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "kept";
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    asset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    errorText: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    describe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ActionResult. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request was not carried out. `code` gives the reason, and `action` the next step. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebsites: {
        parameters: {
            query?: {
                /** @description Adds details: the signs of the system, facts of the last visit, and the visits before it. */
                expand?: "1";
                /** @description Websites on a page. */
                limit?: number;
                /** @description From links.next. */
                cursor?: string;
                /** @description Only websites in this state; without it refused attempts are left out. */
                status?: "pending" | "listed" | "rejected" | "unreachable" | "gone" | "archived";
            };
            header?: {
                /** @description The ETag that you have; 304 when nothing is new. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of your websites, newest first. */
            200: {
                headers: {
                    /** @description Names this state. Send it as If-None-Match to learn of changes. */
                    ETag?: string;
                    /** @description The requests that are left in this minute. */
                    RateLimit?: string;
                    /** @description The limit that counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportList"];
                };
            };
            /** @description Nothing new. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addWebsite: {
        parameters: {
            query: {
                /** @description Its full address, percent-encoded. */
                url: string;
            };
            header?: {
                /** @description respond-async answers 202 at once. */
                Prefer?: "respond-async";
                /** @description A quoted text of your own; the same request with it is carried out once in 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is yours already. */
            200: {
                headers: {
                    /** @description Names this state. Send it as If-None-Match to learn of changes. */
                    ETag?: string;
                    /** @description The requests that are left in this minute. */
                    RateLimit?: string;
                    /** @description The limit that counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The address of the result. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportAnswer"];
                };
            };
            /** @description Added. */
            201: {
                headers: {
                    /** @description Names this state. Send it as If-None-Match to learn of changes. */
                    ETag?: string;
                    /** @description The requests that are left in this minute. */
                    RateLimit?: string;
                    /** @description The limit that counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The address of the result. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportAnswer"];
                };
            };
            /** @description Being checked. */
            202: {
                headers: {
                    /** @description Names this state. Send it as If-None-Match to learn of changes. */
                    ETag?: string;
                    /** @description The requests that are left in this minute. */
                    RateLimit?: string;
                    /** @description The limit that counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The address of the result. */
                    Location?: string;
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportAnswer"];
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It is in the index and not linked to you, or the Idempotency-Key is in flight. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The address is not allowed, the website could not be read (reason), or it does not run the system. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importWebsites: {
        parameters: {
            query?: never;
            header?: {
                /** @description A quoted text of your own; the same request with it is carried out once in 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/plain": string;
            };
        };
        responses: {
            /** @description Taken. */
            202: {
                headers: {
                    /** @description The address of the result. */
                    Location?: string;
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key is in flight. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The list is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One outcome for each line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such website in your account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRelinkRequests: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first, 200 at most. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelinkRequests"];
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requestRelink: {
        parameters: {
            query: {
                /** @description Its full address, percent-encoded. */
                url: string;
            };
            header?: {
                /** @description A quoted text of your own; the same request with it is carried out once in 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description You asked already. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelinkRequest"];
                };
            };
            /** @description Publish one of the proofs, then PATCH. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelinkRequest"];
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The website is not in the index. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key is in flight. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The address is not allowed, or the Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readRelinkRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelinkRequest"];
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such website in your account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdrawRelinkRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdrawn. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such website in your account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkRelinkRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `last_check` says what was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelinkRequest"];
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such website in your account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    objectToRelinkRequest: {
        parameters: {
            query?: {
                /** @description For the operator and the other partner. */
                reason?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Noted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelinkRequest"];
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such website in your account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNotices: {
        parameters: {
            query?: {
                /** @description From links.next. */
                cursor?: string;
                /** @description atom answers the same as application/atom+xml, for feed readers. */
                format?: "json" | "atom";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; links.next leads on, also to what will come. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notices"];
                    "application/atom+xml": string;
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readWebsite: {
        parameters: {
            query?: {
                /** @description Adds details: the signs of the system, facts of the last visit, and the visits before it. */
                expand?: "1";
            };
            header?: {
                /** @description The ETag that you have; 304 when nothing is new. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The website. */
            200: {
                headers: {
                    /** @description Names this state. Send it as If-None-Match to learn of changes. */
                    ETag?: string;
                    /** @description The requests that are left in this minute. */
                    RateLimit?: string;
                    /** @description The limit that counted. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportAnswer"];
                };
            };
            /** @description Nothing new. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such website in your account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    uploadPreview: {
        parameters: {
            query?: never;
            header?: {
                /** @description Only when the website is still at this ETag; else 412. */
                "If-Match"?: string;
                /** @description A quoted text of your own; the same request with it is carried out once in 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    preview: string;
                };
            };
        };
        responses: {
            /** @description The new picture is in preview. */
            200: {
                headers: {
                    /** @description Names this state. Send it as If-None-Match to learn of changes. */
                    ETag?: string;
                    /** @description The requests that are left in this minute. */
                    RateLimit?: string;
                    /** @description The limit that counted. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportAnswer"];
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such website in your account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body came too slowly. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key is in flight. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no Content-Length. */
            411: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The website was changed since the version in If-Match. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The file is not smaller than 200 kb. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The file is not a JPEG. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The picture is damaged or has too many pixels, or the Idempotency-Key was used before. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWebsite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Only when the website is still at this ETag; else 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such website in your account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The website was changed since the version in If-Match. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refreshWebsite: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async answers 202 at once. */
                Prefer?: "respond-async";
                /** @description Only when the website is still at this ETag; else 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Looked at again; status says how it stands. */
            200: {
                headers: {
                    /** @description Names this state. Send it as If-None-Match to learn of changes. */
                    ETag?: string;
                    /** @description The requests that are left in this minute. */
                    RateLimit?: string;
                    /** @description The limit that counted. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportAnswer"];
                };
            };
            /** @description Being looked at. */
            202: {
                headers: {
                    /** @description Names this state. Send it as If-None-Match to learn of changes. */
                    ETag?: string;
                    /** @description The requests that are left in this minute. */
                    RateLimit?: string;
                    /** @description The limit that counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The address of the result. */
                    Location?: string;
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportAnswer"];
                };
            };
            /** @description A parameter or header is not understood. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is missing, unknown, revoked or expired. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key may not do this, or the website is excluded. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such website in your account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It came into the index meanwhile and is not linked to you. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The website was changed since the version in If-Match. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The address is not allowed any more. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests: see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not available at the moment: see Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "on.subscription.started": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "subscription.started";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        subscription: components["schemas"]["Subscription"];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.subscription.changed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "subscription.changed";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        subscription: components["schemas"]["Subscription"];
                        before: {
                            price_ids: string[];
                            quantity: number | null;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.subscription.paused": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "subscription.paused";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        subscription: components["schemas"]["Subscription"];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.subscription.renewed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "subscription.renewed";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        subscription: components["schemas"]["Subscription"];
                        /** @enum {string} */
                        reason: "period" | "kept";
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.subscription.canceled": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "subscription.canceled";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        subscription: components["schemas"]["Subscription"];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.trial.ending": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "trial.ending";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        subscription: components["schemas"]["Subscription"];
                        charged_at: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.renewal.upcoming": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "renewal.upcoming";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        subscription: components["schemas"]["Subscription"];
                        charged_at: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.payment.received": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "payment.received";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        payment: {
                            id: string;
                            provider: string;
                            account: string;
                            customer_id: string | null;
                            subscription_id: string | null;
                            invoice_id: string | null;
                            price_id: string | null;
                            items: {
                                price_id: string | null;
                                product_id: string | null;
                                quantity: number | null;
                                amount?: number;
                                period_start?: string | null;
                                period_end?: string | null;
                                /** @enum {string} */
                                billed_for?: "first" | "renewal" | "change" | "extra" | "once";
                                trial?: boolean;
                            }[];
                            quantity: number | null;
                            amount: number;
                            amount_refunded: number;
                            currency: string | null;
                            /** @enum {string} */
                            status: "pending" | "paid" | "failed" | "partially_refunded" | "refunded" | "disputed";
                            paid_at: string | null;
                            invoice_url: string | null;
                            livemode: boolean;
                            metadata: {
                                [key: string]: string;
                            };
                            /** Format: date-time */
                            updated_at: string;
                            /** @enum {string} */
                            purpose: "one_time" | "recurring" | "unknown";
                            /** Format: date-time */
                            next_try_at?: string;
                            card_expires?: string;
                            card_last4?: string;
                            /** @enum {string} */
                            billed_for?: "first" | "renewal" | "change" | "extra" | "once";
                            /** Format: date-time */
                            period_start?: string;
                            /** Format: date-time */
                            period_end?: string;
                            trial?: boolean;
                            /** Format: date-time */
                            due_at?: string;
                            /** Format: date-time */
                            failed_at?: string;
                            in_progress?: boolean;
                            waived?: boolean;
                            /** @enum {string} */
                            dispute?: "open" | "lost";
                            /** Format: date-time */
                            billed_at?: string;
                            refund_pending?: number;
                            refund_failed?: number;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.payment.failed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "payment.failed";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        subscription: components["schemas"]["Subscription"];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.payment.refunded": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "payment.refunded";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        payment: {
                            id: string;
                            provider: string;
                            account: string;
                            customer_id: string | null;
                            subscription_id: string | null;
                            invoice_id: string | null;
                            price_id: string | null;
                            items: {
                                price_id: string | null;
                                product_id: string | null;
                                quantity: number | null;
                                amount?: number;
                                period_start?: string | null;
                                period_end?: string | null;
                                /** @enum {string} */
                                billed_for?: "first" | "renewal" | "change" | "extra" | "once";
                                trial?: boolean;
                            }[];
                            quantity: number | null;
                            amount: number;
                            amount_refunded: number;
                            currency: string | null;
                            /** @enum {string} */
                            status: "pending" | "paid" | "failed" | "partially_refunded" | "refunded" | "disputed";
                            paid_at: string | null;
                            invoice_url: string | null;
                            livemode: boolean;
                            metadata: {
                                [key: string]: string;
                            };
                            /** Format: date-time */
                            updated_at: string;
                            /** @enum {string} */
                            purpose: "one_time" | "recurring" | "unknown";
                            /** Format: date-time */
                            next_try_at?: string;
                            card_expires?: string;
                            card_last4?: string;
                            /** @enum {string} */
                            billed_for?: "first" | "renewal" | "change" | "extra" | "once";
                            /** Format: date-time */
                            period_start?: string;
                            /** Format: date-time */
                            period_end?: string;
                            trial?: boolean;
                            /** Format: date-time */
                            due_at?: string;
                            /** Format: date-time */
                            failed_at?: string;
                            in_progress?: boolean;
                            waived?: boolean;
                            /** @enum {string} */
                            dispute?: "open" | "lost";
                            /** Format: date-time */
                            billed_at?: string;
                            refund_pending?: number;
                            refund_failed?: number;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.member.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "member.created";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.member.signed_up": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "member.signed_up";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.member.deleted": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "member.deleted";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.access.changed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "access.changed";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        opened: string[];
                        closed: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.limit.near": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "limit.near";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        limit: {
                            name: string;
                            amount: number;
                            used: number;
                            left: number;
                            added: number;
                            resets_at: string | null;
                            source: string | null;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "on.limit.reached": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    version: 1;
                    /** @constant */
                    type: "limit.reached";
                    /** @description When the change was noticed, ISO 8601 UTC. */
                    timestamp: string;
                    data: {
                        member: {
                            id: string;
                            email: string | null;
                            name: string | null;
                            /** @description Open plans, as of the delivery. */
                            gates: string[];
                            features: string[];
                        };
                        limit: {
                            name: string;
                            amount: number;
                            used: number;
                            left: number;
                            added: number;
                            resets_at: string | null;
                            source: string | null;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description No more of this. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
