/** Emitted in the transaction that leaves something to deliver. Other instances notice within a second. */
export class DeliveriesEnqueued {}
