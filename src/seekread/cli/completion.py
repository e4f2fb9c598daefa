"""`seekread completion`: what a shell needs to complete commands, options and choices."""

import click

from seekread.cli.terminal import say

HINTS = {
    "bash": "seekread completion bash > ~/.local/share/bash-completion/completions/seekread",
    "zsh": 'seekread completion zsh > "${fpath[1]}/_seekread"',
    "fish": "seekread completion fish > ~/.config/fish/completions/seekread.fish",
}


@click.command(epilog="\b\n" + "\n".join(HINTS.values()))
@click.argument("shell", type=click.Choice(sorted(HINTS)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click cannot complete in {shell}")
    root = ctx.find_root()
    say(kind(root.command, {}, "seekread", "_SEEKREAD_COMPLETE").source())
