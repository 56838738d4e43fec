/**
 * A list of servers in the order of the system's settings, except that servers that did not answer are moved to the
 * end.
 */
export class AnsweringFirst<Server> {
  private order: readonly Server[];

  constructor(servers: readonly Server[]) {
    this.order = servers;
  }

  inOrder(): readonly Server[] {
    return this.order;
  }

  /** Moves a server that did not answer to the end. */
  demote(server: Server): void {
    if (this.order.length < 2 || !this.order.includes(server)) return;
    this.order = [...this.order.filter((one) => one !== server), server];
  }
}
