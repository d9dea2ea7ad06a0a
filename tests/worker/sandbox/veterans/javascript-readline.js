while (true) {
    const turn = parseInt(readline());
    printErr(`turn ${turn}`);
    print('REPLY ' + turn);
}
