#!/bin/zsh -f
# complete.zsh SCRIPT: prints what zsh, with a completion script, offers for the last word of each line of standard
# input: a whole word per line, then an empty line.
emulate zsh
zmodload zsh/zpty
script=${1:A}
home=$(mktemp -d)
trap 'rm -rf $home' EXIT
cp $script $home/_helio
# Widgets work on a terminal only. compadd prints the words that fit instead of offering them.
cat >$home/setup <<'END'
PS1=
stty -echo
unsetopt zle_bracketed_paste 2>/dev/null
fpath=($HOME $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a found
    if [[ ${@[1,(i)(-|--)]} == *-[AOD]\ * ]]; then
        builtin compadd "$@"
        return
    fi
    builtin compadd -A found "$@"
    (($#found)) && print -rl -- "<"$IPREFIX$^found">"
}
completed() {
    compstate[list]= compstate[insert]=
    _main_complete
    print -r -- '<>'
}
zle -C completed complete-word completed
bindkey '^I' completed
print -r -- '<>'
END
zpty helio "HOME=$home TERM=dumb zsh -f -i"
zpty -w helio "source $home/setup"

# Reads until '<>' and prints the words.
answer() {
    local line
    while zpty -r helio line; do
        line=${${line%%$'\n'}%%$'\r'}
        [[ $line == *'<>'* ]] && return
        [[ $line == *'<'*'>' ]] && print -r -- ${${line#*<}%>}
    done
}
answer
while IFS= read -r words; do
    zpty -n -w helio $'\x15'"$words"$'\t'
    answer
    print
done
zpty -d helio
