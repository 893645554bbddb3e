"""llama-cpp-python on the GGUF itself, one prompt after another: its class has one sequence."""

from importlib.metadata import version

from llama_cpp import Llama, llama_get_logits_ith

from worker import Item, Peer, Reading, Workload


def open_peer(job: dict, model: str, _: str) -> Peer:
    longest = max(len(job["prompts"][index]["ids"]) for index in job["audit"])
    llama = Llama(model, n_ctx=longest, n_threads=1, n_threads_batch=1, flash_attn=True, verbose=False)

    def audit(items: list[Item]) -> list[Reading]:
        readings = []
        for item in items:
            llama.reset()
            llama.eval(item.ids)
            # Its own table of scores is filled only when the logits of every token are computed.
            logits = llama_get_logits_ith(llama.ctx, -1)
            first, second = item.labels
            readings.append(Reading(logits[first] - logits[second]))
        return readings

    return Peer(version("llama-cpp-python"), {"audit": Workload(audit)}, sizes=(1,))
