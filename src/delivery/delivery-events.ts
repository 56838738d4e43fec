/** Emitted in the transaction that enqueues deliveries. Other instances notice new deliveries within a second. */
export class DeliveriesEnqueued {}
