def reply(turn: int) -> str:
    return f"REPLY {turn}"
