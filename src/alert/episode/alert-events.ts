/** An alert rule that changed its state. All IDs are UUIDs. */
interface AlertMoment {
  readonly orgId: string;
  readonly alertId: string;
  readonly endpointId: string;
  /** The event in the list of alert events. */
  readonly eventId: string;
}

/** Emitted inside the transaction that triggers an alert, after its event and its deliveries are written. */
export class AlertTriggered {
  constructor(readonly alert: AlertMoment) {}
}

/** Emitted inside the transaction that resolves an alert, after its event and its deliveries are written. */
export class AlertResolved {
  constructor(readonly alert: AlertMoment) {}
}
