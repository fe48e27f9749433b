// Keeps what was asked for lately, up to some size.

export class Cache {
  #kept = new Map();
  #size = 0;

  constructor(most) {
    this.most = most;
  }

  // Returns what is kept under a key, or asks for it; blocks tell their size in bytes.
  get(key, askFor) {
    const found = this.#kept.get(key);
    if (found) {
      this.#kept.delete(key);
      this.#kept.set(key, found);
      return found.promise;
    }
    const entry = { size: 0, promise: null };
    entry.promise = askFor().then((block) => {
      entry.size = block.bytes;
      this.#size += block.bytes;
      this.#shrink();
      return block;
    }, (error) => {
      this.#kept.delete(key);
      throw error;
    });
    this.#kept.set(key, entry);
    return entry.promise;
  }

  clear() {
    this.#kept.clear();
    this.#size = 0;
  }

  #shrink() {
    for (const [key, entry] of this.#kept) {
      if (this.#size <= this.most) return;
      if (entry.size === 0) continue;
      this.#kept.delete(key);
      this.#size -= entry.size;
    }
  }
}
