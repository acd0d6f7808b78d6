/** Values by key, of which the longest unused goes when there are too many. */
export class Recent<T> {
  private readonly values = new Map<string, T>();

  constructor(private readonly max: number) {}

  get(key: string): T | undefined {
    const value = this.values.get(key);
    if (value === undefined) return undefined;
    this.set(key, value);
    return value;
  }

  set(key: string, value: T): void {
    this.values.delete(key);
    this.values.set(key, value);
    if (this.values.size > this.max) this.values.delete(this.values.keys().next().value!);
  }

  delete(key: string): void {
    this.values.delete(key);
  }
}
