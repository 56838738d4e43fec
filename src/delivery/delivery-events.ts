/** Emitted in the transaction that enqueues deliveries. Other instances notice within a second. */
export class DeliveriesEnqueued {}
