/** A list of servers in the order of the system's settings, but for those that did not answer: they come last. */
export class AnsweringFirst<Server> {
  private order: readonly Server[];

  constructor(servers: readonly Server[]) {
    this.order = servers;
  }

  inOrder(): readonly Server[] {
    return this.order;
  }

  /** It has not answered: it is asked after all others from now on. */
  demote(server: Server): void {
    if (this.order.length < 2 || !this.order.includes(server)) return;
    this.order = [...this.order.filter((one) => one !== server), server];
  }
}
